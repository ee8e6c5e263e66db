const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [112, 28];

const draw = (counts, most) => {
  const line = document.createElementNS(SVG, "polyline");
  const x = (at) => (counts.length === 1 ? WIDTH / 2 : (at / (counts.length - 1)) * (WIDTH - 2) + 1);
  const points = counts.map(
    (count, at) => `${x(at).toFixed(1)},${(HEIGHT - 1 - (count / most) * (HEIGHT - 2)).toFixed(1)}`,
  );
  line.setAttribute("points", points.join(" "));
  return line;
};

/** Two small lines over each other, the time before and this one: the figures stand beside them. */
export const createLine = (before, now) => {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("class", "line");
  svg.setAttribute("aria-hidden", "true");
  const most = Math.max(1, ...before, ...now);
  svg.append(draw(before, most), draw(now, most));
  return svg;
};
