/** The service and the network before it: how each request fares. */
import { isSuccess } from "./rules/rule.js";
import type { Sent, World } from "./world.js";

/**
 * The status of the answer, 0 where the connection breaks, and the seconds of its `Retry-After`; or no answer ever comes; or
 * the event is stored, and the answer is lost.
 */
export type Fate = [status: number, retryAfterS?: number] | "silent" | "lost";
/** What never ends counts as failed after the time-out of the page. */
const TIMEOUT_MS = 15_000;

export type Service = ReturnType<typeof createService>;

export const createService = (world: World, random: () => number) => {
  const { clock } = world;
  const service = {
    rule: (_sent: Sent): Fate => [200],
    /** The fate of the next request alone. */
    once: undefined as Fate | undefined,
    /** By name of the event: what it meets whenever it comes, although the service takes others. */
    poison: new Map<string, Fate>(),
    /** Milliseconds from a request to its answer. */
    latency: () => 20,
    /** To be set: told of each request that is accepted, or fails, whoever hears of it. */
    onBegin: (_sent: Sent, _willFail: boolean) => {},
    onStore: (_sent: Sent) => {},
    onFail: (_sent: Sent, _isStored: boolean) => {},
  };
  const isUp = (fate: Fate): boolean => typeof fate !== "string" && isSuccess(fate[0]);
  const decide = (sent: Sent): Fate => {
    const fate = service.once ?? service.rule(sent);
    service.once = undefined;
    return (isUp(fate) && service.poison.get(sent.name)) || fate;
  };

  world.onRequest = (sent) => {
    const fate = decide(sent);
    const half = service.latency() / 2;
    const answer = (): unknown => {
      if (!isUp(fate)) service.onFail(sent, fate === "lost");
      return typeof fate === "string" ? sent.answer(0) : sent.answer(...fate);
    };
    service.onBegin(sent, !isUp(fate));
    if (fate === "silent") clock.add(TIMEOUT_MS, () => service.onFail(sent, false));
    else
      clock.add(half, () => {
        // Its page may have taken it along.
        if (sent.isCut && random() < 0.7) return service.onFail(sent, false);
        if (isUp(fate) || fate === "lost") service.onStore(sent);
        clock.add(half, answer);
      });
  };
  return service;
};
