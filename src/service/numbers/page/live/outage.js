/** The times at which the service was away, drawn as bands behind the bars of both lanes. */

const LABEL = "Service away";
/** Pixels around the label. */
const MARGIN = 6;

/** @param {(property: string) => string} read of the stylesheet */
export const createOutagePlugin = (read) => ({
  id: "outages",
  beforeDatasetsDraw({ ctx, chartArea: { left, top, width, height }, data: { labels, outages: drawn } }) {
    if (!drawn) return;
    const { step, outages } = drawn;
    const place = (time) => left + Math.min(1, Math.max(0, (time - labels[0]) / (labels.length * step))) * width;
    ctx.save();
    ctx.font = `12px ${read("--sans")}`;
    ctx.textBaseline = "top";
    for (const [from, to] of outages) {
      const [begin, end] = [place(from), place(to ?? Number.POSITIVE_INFINITY)];
      ctx.fillStyle = read("--outage");
      ctx.fillRect(begin, top, end - begin, height);
      ctx.fillStyle = read("--bad");
      if (end - begin > ctx.measureText(LABEL).width + 2 * MARGIN) ctx.fillText(LABEL, begin + MARGIN, top + MARGIN);
    }
    ctx.restore();
  },
});
