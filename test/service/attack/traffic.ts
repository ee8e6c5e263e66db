import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type Place, storedEvents } from "../support/database.js";
import { until } from "../support/service.js";
import { postAsDemo } from "../support/service-process.js";

const CLIENTS = 16;

/** Clients that send one event after another, each until it is answered with 200, to a service that is asked for at each request. */
export const createTraffic = (place: Place, url: () => string) => {
  const acknowledged = new Set<string>();
  const others = new Set<string>();
  let isStopped = false;
  const client = async (): Promise<void> => {
    while (!isStopped) {
      const params = { event_id: randomUUID(), event_source: randomUUID(), event_seq: 1 };
      await until(async () => {
        const answer = await postAsDemo(url(), "attack", { params }).then(
          ({ status }) => String(status),
          () => "none",
        );
        if (answer !== "200") others.add(answer);
        return answer === "200";
      });
      acknowledged.add(params.event_id);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    /** Waits until so many more were answered with 200. */
    more: (events: number) => {
      const wanted = acknowledged.size + events;
      return until(() => acknowledged.size >= wanted);
    },
    /** Sends nothing anew; expects all that was answered with 200 to be stored once. @returns which other answers there were */
    stop: async (): Promise<string[]> => {
      isStopped = true;
      await clients;
      const stored = (await storedEvents(place, "attack")).map(({ params }) => params.event_id);
      expect(stored.sort()).toEqual([...acknowledged].sort());
      return [...others];
    },
  };
};
