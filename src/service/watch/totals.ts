import { AggregatorRegistry, type MetricObject, type Registry } from "prom-client";
import { isOfUnit, onUnit, tellUnit } from "../config/unit-messages.js";

/** Kinds of metrics that count: a sum of them that falls would be taken for a restart by Prometheus. */
const COUNTING = ["counter", "histogram"];

/** The metrics of several processes as one. What a process has told is in the sums after its end, too. */
export const createTotals = () => {
  const last = new Map<number, MetricObject[]>();
  let ended: MetricObject[] = [];
  const sum = (...all: MetricObject[][]): Registry => AggregatorRegistry.aggregate(all);
  return {
    /** @param metrics of a process, as `getMetricsAsJSON` gives them */
    tell: (process: number, metrics: MetricObject[]): void => void last.set(process, metrics),
    end: (process: number): void => {
      const metrics = last.get(process) ?? [];
      last.delete(process);
      // What is aggregated holds its values.
      ended = sum(
        ended,
        metrics.filter(({ type }) => COUNTING.includes(String(type))),
      ).getMetricsAsArray();
    },
    text: (): Promise<string> => sum(...last.values(), ended).metrics(),
  };
};

/** What tells the metrics: of this process, or, where it is one of a unit, of all of them. */
export const createTeller = (registry: Registry): (() => Promise<string>) => {
  if (!isOfUnit) return () => registry.metrics();
  const asked = new Map<number, (text: string) => void>();
  let last = 0;
  onUnit("ask metrics", async ({ ask }) =>
    tellUnit({ kind: "metrics", ask, metrics: await registry.getMetricsAsJSON() }),
  );
  onUnit("totals", ({ ask, text }) => {
    asked.get(ask)?.(text);
    asked.delete(ask);
  });
  return () =>
    new Promise((resolve) => {
      last += 1;
      asked.set(last, resolve);
      tellUnit({ kind: "ask totals", ask: last });
    });
};
