import { sendEvent, sendEvents } from "../../../src/send.js";
import { median } from "../../support/median.js";
import type { Place } from "../support/places.js";
import { nextEvent, post, postBatches } from "./load.js";
import { spawnOver } from "./spawn-over.js";

const ROUNDS = 3;
const SECONDS = 3;

/** Events a second of a sender that waits for each answer before it goes on. */
const inTurn = async (send: () => Promise<number>): Promise<number> => {
  const began = performance.now();
  let sent = 0;
  while (performance.now() - began < SECONDS * 1_000) sent += await send();
  return (sent / (performance.now() - began)) * 1_000;
};

/** Events a second, one in a request and several: of one sender, and of as many as keep the service busy. */
export const batches = async (engine: string, place: Place): Promise<void> => {
  const service = spawnOver(place);
  const url = await service.ready();
  const config = { trackUrl: url, apiToken: "demo-api-token" };
  const ways: Record<string, () => Promise<number>> = {
    "one sender, sendEvent": () =>
      inTurn(async () => {
        await sendEvent(config, nextEvent());
        return 1;
      }),
    "one sender, sendEvents, 1,000 a request": () =>
      inTurn(async () => (await sendEvents(config, Array.from({ length: 1_000 }, nextEvent))).length),
    "64 senders, one a request": async () => (await post(url, SECONDS)).perSecond,
    "16 senders, 20 a request": async () =>
      (await postBatches(url, { duration: SECONDS, size: 20, connections: 16 })).perSecond,
    "4 senders, 1,000 a request": async () =>
      (await postBatches(url, { duration: SECONDS, size: 1_000, connections: 4 })).perSecond,
  };
  await post(url, 2);
  const figures = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, way] of Object.entries(ways)) figures.set(name, [...(figures.get(name) ?? []), await way()]);
  await service.stop("SIGTERM");
  const of = (name: string) => median(figures.get(name)!);
  console.log(`\n${engine}: events a second, medians of ${ROUNDS} rounds`);
  console.table(
    Object.fromEntries(
      Object.keys(ways).map((name) => [
        name,
        {
          "events/s": Math.round(of(name)),
          "to single ones": (
            of(name) / of(name.startsWith("one") ? "one sender, sendEvent" : "64 senders, one a request")
          ).toFixed(1),
        },
      ]),
    ),
  );
};
