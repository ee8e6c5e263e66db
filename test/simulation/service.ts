/** The service and the network before it: how each request fares. */
import type { Sent, World } from "./world.js";

/** How requests fare: answered 200 or otherwise, cut, or stored although the answer never comes. */
export type Weather =
  | "up"
  | "refused"
  | "unavailable"
  | "busy"
  | "silent"
  | "unauthorized"
  | "invalid"
  | "lostBefore"
  | "lostAfter"
  /** Half of all requests fail, at random. */
  | "half"
  /** Every second request is told to come again later. */
  | "alternating";

/** What one event meets whenever it comes, although the service takes others. */
export type Poison = "400" | "500" | "cut" | "hang";

/** What the service decides about one request. */
type Fate = Exclude<Weather, "half" | "alternating"> | [status: number, retryAfterS?: number];

export type Service = ReturnType<typeof createService>;

/** What never ends counts as failed after the time-out of the page. */
const TIMEOUT_MS = 15_000;

const FATE_OF: Record<Poison, Fate> = { "400": "invalid", "500": "unavailable", cut: "refused", hang: "silent" };
const STATUS_OF: Partial<Record<string, number>> = { unavailable: 503, unauthorized: 401, invalid: 400 };

export const createService = (world: World, random: () => number) => {
  let requests = 0;
  const service = {
    weather: "up" as Weather,
    /** In place of the weather, for whoever needs it: the status of the answer, 0 where there is none, with a `Retry-After`. */
    rule: undefined as ((sent: Sent) => number | [status: number, retryAfterS: number]) | undefined,
    /** The weather of the next request alone. */
    once: undefined as Weather | undefined,
    /** By name of the event. */
    poison: new Map<string, Poison>(),
    /** Milliseconds from a request to its answer. */
    latency: () => 20,
    retryAfterS: 5,
    /** To be set: told of each request that is accepted, or fails, whoever hears of it. */
    onBegin: (_sent: Sent, _willFail: boolean) => {},
    onStore: (_sent: Sent) => {},
    onFail: (_sent: Sent, _isStored: boolean) => {},
  };

  const decide = (sent: Sent): Fate => {
    if (service.rule) {
      const [status, retryAfterS] = [service.rule(sent)].flat() as [number, number?];
      return status >= 200 && status < 300 ? "up" : status ? [status, retryAfterS] : "refused";
    }
    const weather = service.once ?? service.weather;
    service.once = undefined;
    requests++;
    if (weather === "half" && random() < 0.5) return random() < 0.5 ? "refused" : "unavailable";
    if (weather === "alternating" && requests % 2) return "busy";
    const fate = weather === "half" || weather === "alternating" ? "up" : weather;
    const poison = service.poison.get(sent.name);
    return fate === "up" && poison ? FATE_OF[poison] : fate;
  };

  /** The request has reached the service, unless its page took it along. */
  const arrive = (sent: Sent, fate: Fate, latency: number): void => {
    if (sent.isCut && random() < 0.7) {
      service.onFail(sent, false);
      return;
    }
    if (fate === "up" || fate === "lostAfter") service.onStore(sent);
    world.clock.add(latency / 2, () => answer(sent, fate));
  };
  const answer = async (sent: Sent, fate: Fate): Promise<void> => {
    const { retryAfterS } = service;
    if (fate === "up") return sent.answer(200);
    service.onFail(sent, fate === "lostAfter");
    if (Array.isArray(fate)) return sent.answer(...fate);
    if (fate === "busy") return sent.answer(requests % 3 ? 429 : 503, retryAfterS);
    const status = STATUS_OF[fate];
    return status ? sent.answer(status) : sent.fail();
  };

  world.onRequest = (sent) => {
    const fate = decide(sent);
    const latency = service.latency();
    service.onBegin(sent, fate !== "up");
    if (fate === "silent") world.clock.add(TIMEOUT_MS, () => service.onFail(sent, false));
    else world.clock.add(latency / 2, () => arrive(sent, fate, latency));
  };
  return service;
};
