/** The service and the network before it: how each request fares. */

import { SOME_REFUSED } from "./network.js";
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
    return (isUp(fate) && service.poison.get(sent.name)) || fate;
  };

  /** Stamps of what is stored. */
  const stamps = new Set<string>();
  const store = (sent: Sent): void => {
    const { event_id, event_source } = JSON.parse(sent.body).params;
    if (!stamps.has(event_id)) service.onStore(sent);
    // Else it is a page's own id, or a service that keeps all.
    if (event_source && world.most) stamps.add(event_id);
  };

  world.onRequest = (sent) => {
    const all = [sent, ...sent.others];
    const { pluralAnswers } = world;
    if (all[1] && pluralAnswers) return void clock.add(service.latency(), () => sent.answer(pluralAnswers));
    const fates = all.map(decide);
    service.once = undefined;
    // What takes the connection with it takes those beside it along, and a request for rest is one of all.
    const whole = fates.find(
      (one) => !isUp(one) && (typeof one === "string" || one[0] === 0 || one[1] || one[0] === 429),
    );
    const isAny = fates.some(isUp);
    // It has changed its mind since it said how many it takes.
    const isTooMany = all.length > (world.most ?? 1);
    const tooMany: Fate = [world.most ? 413 : 404];
    const some: Fate = isAny && !fates.every(isUp) ? [SOME_REFUSED] : fates[0]!;
    const fate: Fate = whole ?? (isTooMany ? tooMany : some);
    const isTaken = (index: number): boolean => fate === "lost" || (isUp(fate) && isUp(fates[index]!));
    const half = service.latency() / 2;
    const answer = (): unknown => {
      for (const [index, one] of all.entries())
        if (fate === "lost" || !isTaken(index)) service.onFail(one, fate === "lost");
      if (typeof fate === "string") return sent.answer(0);
      return sent.answer(fate[0], fate[1]);
    };
    for (const [index, one] of all.entries()) service.onBegin(one, !isTaken(index) || fate === "lost");
    const fail = (): void => {
      for (const one of all) service.onFail(one, false);
    };
    if (fate === "silent") clock.add(TIMEOUT_MS, fail);
    else
      clock.add(half, () => {
        // Its page may have taken it along.
        if (sent.isCut && random() < 0.7) return fail();
        for (const [index, one] of all.entries()) if (isTaken(index)) store(one);
        clock.add(half, answer);
      });
  };
  return service;
};
