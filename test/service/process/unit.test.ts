import { Agent, request } from "node:http";
import { afterAll, expect, it } from "vitest";
import { storedEvents } from "../support/database.js";
import { useServer } from "../support/fixtures.js";
import { outcomeOf, SILENT, until } from "../support/service.js";
import { metricsOf, spawnService } from "../support/service-process.js";

/* Several processes on one port. */

const CLIENTS = 48;
/** Milliseconds: a connection that was just handed to a process that is killed hears nothing. */
const SILENT_MS = 5_000;

const place = useServer();
const started: ReturnType<typeof spawnService>[] = [];
const start = (environment: Record<string, string> = {}) => {
  const unit = spawnService({ DATABASE_URL: place.databaseUrl, TRACKLET_PROCESSES: "2", ...environment });
  started.push(unit);
  return unit;
};
afterAll(() => Promise.all(started.map((unit) => unit.stop("SIGKILL"))));

const stored = async (name: string): Promise<number[]> =>
  (await storedEvents(place, name)).map(({ params }) => Number(params.number));
/** An agent with a connection of its own for each client: the processes take connections in turn. */
const agentOf = () => new Agent({ keepAlive: true, maxSockets: CLIENTS, scheduling: "fifo" });
let resets = 0;
/** Status of the answer, or what happened to the connection. */
const post = async (url: string, agent: Agent, [event_uid, number]: [string, number]): Promise<string> => {
  const body = JSON.stringify({ contact_uid: `contact-${number}`, event_uid, params: { number } });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const path = "/v1/track/event?api_token=demo-api-token";
  const sent = request(url + path, { agent, method: "POST", headers, timeout: SILENT_MS }).end(body);
  sent.once("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "ECONNRESET") resets += 1;
  });
  sent.once("timeout", () => sent.destroy(Object.assign(new Error(SILENT), { code: SILENT })));
  return outcomeOf(sent);
};
/** Clients that send one event after another until they are told to stop, or one is refused; what was answered to each. */
const load = (url: string, name: string) => {
  const agent = agentOf();
  const answers = new Map<number, string>();
  let [next, stopped] = [0, false];
  const client = async (): Promise<void> => {
    while (!stopped) {
      const number = next++;
      answers.set(number, await post(url, agent, [name, number]));
      stopped ||= name === "ending" && answers.get(number) === "refused";
    }
  };
  const ended = Promise.all(Array.from({ length: CLIENTS }, client)).finally(() => agent.destroy());
  const accepted = () => [...answers].flatMap(([number, answer]) => (answer === "200" ? number : []));
  return {
    accepted,
    others: () => [...answers.values()].filter((answer) => answer !== "200"),
    more: () => {
      const before = accepted().length;
      return until(() => accepted().length > before + 10 * CLIENTS);
    },
    stop: () => {
      stopped = true;
      return ended;
    },
    ended,
  };
};
/** Ids of the processes that have begun to take connections, oldest first. */
const takers = (unit: ReturnType<typeof spawnService>) =>
  [...unit.stdout().matchAll(/"process":(\d+),"msg":"takes connections"/g)].map(([, pid]) => Number(pid));
/** Each process tells its own, by its number. */
const answered = async (url: string): Promise<number> => {
  const counts =
    /^tracklet_http_request_seconds_count\{method="POST",route="[^"]+",status="200",process="\d+"\} (\d+)$/gm;
  return [...(await metricsOf(url)).matchAll(counts)].reduce((sum, [, count]) => sum + Number(count), 0);
};

it("take events, tell all their counts, replace what is killed, and end without cutting a request", async () => {
  const unit = start();
  const url = await unit.ready();
  const [first] = takers(unit);
  expect(takers(unit)).toHaveLength(2);

  const loaded = load(url, "killed");
  await loaded.more();
  process.kill(first!, "SIGKILL");
  await until(() => takers(unit).length === 3);
  await loaded.more();
  await loaded.stop();
  const words = `"level":"error",[^\\n]+"msg":"process ${first} has ended \\(SIGKILL\\): another one is started in \\d+ ms"`;
  expect(unit.stdout()).toMatch(RegExp(words));
  // What was under way in it got no answer, and may be stored or not.
  expect(loaded.others().length).toBeLessThan(2 * CLIENTS);
  const numbers = await stored("killed");
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers).toEqual(expect.arrayContaining(loaded.accepted()));
  const [after, agent] = [await answered(url), agentOf()];
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => post(url, agent, ["counted", number])));
  expect(await answered(url)).toBe(after + CLIENTS);
  agent.destroy();

  const ending = load(url, "ending");
  await ending.more();
  const former = resets;
  // As systemd does it: all at once, the primary last.
  for (const pid of [...takers(unit).slice(1), unit.process.pid!]) process.kill(pid, "SIGTERM");
  await ending.ended;
  expect(await unit.closed).toMatchObject({ code: 0, stderr: "" });
  expect(new Set(ending.others())).toEqual(new Set(["refused"]));
  // The system resets those that the primary has not taken when it stops to listen.
  expect(resets - former).toBeLessThan(CLIENTS / 8);
  expect(new Set(await stored("ending"))).toEqual(new Set(ending.accepted()));
});

it("count what an address sends together", async () => {
  const url = await start({ TRACKLET_RATE_LIMIT: "10" }).ready();
  let taken = 0;
  for (let number = 0; number < 30; number += 1)
    taken += (await post(url, new Agent(), ["limited", number])) === "200" ? 1 : 0;
  expect(taken).toBeGreaterThanOrEqual(10);
  // Each by itself would take 10. A count that is under way may come too late.
  expect(taken).toBeLessThan(15);
});

it("are told in one line why they cannot start", async () => {
  const { code, stderr } = await start({ DATABASE_URL: place.databaseUrl.replace("/postgres", "/absent") }).closed;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^service: cannot use the database of DATABASE_URL \(.*"absent" does not exist.*\n$/);
});
