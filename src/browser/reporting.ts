/** Tells whoever runs the page of problems: by `onError`, by a listener, and, once a page, by the console. */
import { attempt } from "../shared/attempt.js";
import type { DebugListener, Problem } from "../types.js";
import { config } from "./config.js";

let listener: DebugListener | undefined;
/** Is `onError` running? What it tracks is no new problem. */
let isReporting = false;
/** The most problems that the console gets in a page: one that names each event anew must not fill memory and console. */
const MAX_WARNED = 100;
/** Problems that the console has: the code of each detail. */
const warned = new Map<string, string>();

/** Lets `next` hear of every decision from now on, after the options and the problems of before. */
export const listenTo = (next: DebugListener): void => {
  listener = next;
  log("options", config as never);
  warned.forEach(log);
};

/** Tells a decision to the listener, if there is one. If a function of the page fails in it, that is not reported. */
export const log: DebugListener = (code, detail) => attempt(() => listener?.(code, detail));

/** A mistake of tracklet itself: the listener is told. */
export const logError = (error: unknown): void => log("error", `${error}`);

/** Runs what must not fail. */
export const guard = (run: () => unknown): void => {
  try {
    run();
  } catch (error) {
    logError(error);
  }
};

/** What is told of a problem of this code. */
export type DetailOf<Code extends Problem["code"]> = Extract<Problem, { code: Code }>["detail"];

/** What a detail is: of the other codes it is the status of an answer. */
const MEMBERS: Record<string, string> = { input: "option", evicted: "bound", throttled: "name" };

/**
 * A problem. The console has each once, and where to read on; whose the event is, it does not tell.
 *
 * @param json the event that was dropped, or how many were
 */
export const report = <Code extends Problem["code"]>(code: Code, detail: DetailOf<Code>, json?: string): void => {
  log(code, detail);

  if (warned.size < MAX_WARNED && !warned.has(detail)) {
    warned.set(detail, code);
    attempt(() => console.warn(`${config.name}: ${detail}`, "(data-debug)"));
  }
  // A handler that tracks may cause the next problem, and so on without end.
  if (isReporting) return;
  isReporting = true;
  const member = MEMBERS[code] ?? "status";
  attempt(() =>
    config.onError?.({
      code,
      detail,
      [member]: member === "status" ? Number(detail.slice(7)) : detail,
      [json?.[0] === "{" ? "event" : "count"]: json && JSON.parse(json),
    } as unknown as Problem),
  );
  isReporting = false;
};

/** A uid as text: a safe integer is one, too, and blanks alone are none. What is none is reported by its `name`, and empty. */
export const readUid = (name: string, value: unknown): string => {
  const isUid = (typeof value === "string" && /\S/.test(value)) || Number.isSafeInteger(value);
  const uid = isUid ? `${value}` : "";
  if (!uid) report("input", name);
  return uid;
};
