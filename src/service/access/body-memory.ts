/** Bytes of all bodies under way that are held at a time, in each process, or four of the largest. */
const MAX_HELD = 64 * 2 ** 20;
/** What a piece takes beside its bytes, so that bodies that come letter by letter count for what they cost. */
const PIECE = 256;

interface Body {
  network: string;
  began: number;
  bytes: number;
  cut(): void;
}

export interface Holding {
  add(bytes: number): void;
  end(): void;
}

/** Is told of each body: its client's network, and how to refuse it. */
export type Hold = (network: string, cut: () => void) => Holding;

/**
 * Bounds the bytes of all bodies that are under way: who begins many and ends none fills no memory. Beyond the bound, the
 * slowest body of the network that holds most is cut, so that nobody is shut out by another one.
 *
 * @param largest bytes of the largest body that is taken
 */
export const createHeld = (largest: number): Hold => {
  const most = Math.max(MAX_HELD, 4 * largest);
  const bodies = new Set<Body>();
  let held = 0;

  const drop = (body: Body): void => {
    if (bodies.delete(body)) held -= body.bytes;
  };
  const slowest = (): Body => {
    const sums = new Map<string, number>();
    for (const { network, bytes } of bodies) sums.set(network, (sums.get(network) ?? 0) + bytes);
    const [greediest] = [...sums].reduce((a, b) => (b[1] > a[1] ? b : a));
    const now = performance.now();
    const speed = ({ bytes, began }: Body) => bytes / (now - began);
    return [...bodies].filter(({ network }) => network === greediest).reduce((a, b) => (speed(b) < speed(a) ? b : a));
  };

  return (network, cut) => {
    const body = { network, began: performance.now(), bytes: 0, cut };
    bodies.add(body);
    return {
      add: (bytes) => {
        if (!bodies.has(body)) return;
        body.bytes += bytes + PIECE;
        held += bytes + PIECE;
        while (held > most) {
          const one = slowest();
          drop(one);
          one.cut();
        }
      },
      end: () => drop(body),
    };
  };
};
