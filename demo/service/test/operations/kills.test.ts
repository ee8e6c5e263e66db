import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { dataFolder } from "../../../../test/support/data-folder.js";
import { basic } from "../support/basic.js";
import { until } from "../support/running-service.js";
import { spawnService } from "../support/service-process.js";

const KILLS = 3;
const CLIENTS = 32;
const FIRST = "00000000-0000-0000-0000-000000000000";

// Over a server: machines.test.ts.
it.runIf(process.env.TEST_ALL)(
  "an embedded service that is killed under load keeps each event once that its clients send until it is stored",
  async () => {
    const folder = await dataFolder();
    let service: ReturnType<typeof spawnService>;
    let url = "";
    /** Until then nobody answers. */
    let up = Promise.resolve();
    const start = async (): Promise<void> => {
      service = spawnService({
        TRACKLET_RATE_LIMIT: "0",
        TRACKLET_DATA: folder,
      });
      url = await service.ready();
    };

    const sent: string[] = [];
    let delivered = 0;
    let unanswered = 0;
    let stopped = false;
    const isStored = (stamp: string): Promise<boolean> =>
      fetch(`${url}/v1/track/event`, {
        method: "POST",
        headers: { "content-type": "application/json", ...basic("demo-api-token:") },
        body: JSON.stringify({ contact_uid: "contact-001", event_uid: "sent", params: { event_id: stamp } }),
      }).then(
        ({ status }) => status === 200,
        () => false,
      );
    const client = async (name: number): Promise<void> => {
      for (let number = 0; !stopped; number += 1) {
        const stamp = `${name}-${number}`;
        sent.push(stamp);
        while (!(await isStored(stamp))) {
          unanswered += 1;
          await up;
        }
        delivered += 1;
      }
    };

    await start();
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)));
    const more = async (): Promise<void> => {
      const before = delivered;
      await until(() => delivered > before + 3 * CLIENTS || undefined);
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      await more();
      up = service!.stop("SIGKILL").then(start);
      await up;
    }
    await more();
    stopped = true;
    await clients;

    const stored: string[] = [];
    for (let after = FIRST; ; ) {
      const answer = await fetch(`${url}/demo/events?event_uid=sent&limit=10000&after=${after}`);
      const { events } = (await answer.json()) as { events: { id: string; params: { event_id: string } }[] };
      if (events.length === 0) break;
      after = events.at(-1)!.id;
      stored.push(...events.map(({ params }) => params.event_id));
    }
    expect(stored.sort()).toEqual(sent.sort());
    console.log(`${KILLS} kills, ${sent.length} events, ${unanswered} without an answer: none lost, none twice`);
    await service!.stop("SIGTERM");
    await rm(folder, { recursive: true });
  },
);
