import type { Metric, Registry } from "prom-client";

type Labels = Record<string, string | number>;

/** The values of one set of labels; the last count is of what is above all bounds. */
interface Counted {
  labels: Labels;
  counts: number[];
  sum: number;
}

interface Histogram {
  /**
   * What counts a value.
   *
   * @param key stands for the labels
   */
  of(key: string, labels: Labels): (value: number) => void;
}

/**
 * A histogram that counts in plain numbers and makes what Prometheus reads of them when that asks: prom-client's own makes objects
 * of labels and buckets for each value, which takes as long as reading an event's JSON.
 */
export const createHistogram = (
  registry: Registry,
  { name, help, buckets }: { name: string; help: string; buckets: readonly number[] },
): Histogram => {
  const all: Counted[] = [];
  const counters = new Map<string, (value: number) => void>();
  const count = (labels: Labels) => {
    const one: Counted = { labels, counts: [...buckets, 0].fill(0), sum: 0 };
    all.push(one);
    return (value: number): void => {
      let at = 0;
      while (at < buckets.length && value > buckets[at]!) at += 1;
      one.counts[at]! += 1;
      one.sum += value;
    };
  };
  const told = ({ labels, counts, sum }: Counted) => {
    let upTo = 0;
    const bounds = counts.map((number, at) => {
      upTo += number;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: buckets[at] ?? "+Inf" }, value: upTo };
    });
    return [
      ...bounds,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: upTo },
    ];
  };
  const metric = {
    name,
    get: async () => ({ name, help, type: "histogram", aggregator: "sum", values: all.flatMap(told) }),
    reset: () => {},
  };
  registry.registerMetric(metric as unknown as Metric);
  return {
    of: (key, labels) => {
      const known = counters.get(key);
      if (known !== undefined) return known;
      const counter = count(labels);
      counters.set(key, counter);
      return counter;
    },
  };
};
