/** Asks the service as the script does, and tells what it has answered. */

/** Which service is asked, and as whom. */
export interface Asked {
  /** Address before the path, as the script's `trackUrl`. */
  trackUrl: string;
  apiToken: string;
  eventPath: string;
  /** Origin of the page that is played. */
  origin: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface AskOptions {
  method?: string;
  headers?: Record<string, string>;
  /** `""`: the request has none. */
  token?: string;
  /** Asks the address of several events. */
  several?: boolean;
}

/** The script waits as long for an answer. */
const TIMEOUT_MS = 15_000;
const NAME = "tracklet_conform";

export type Ask = ReturnType<typeof createAsk>;

/** Each question throws an error where there is no answer. */
export const createAsk = ({ trackUrl, apiToken, eventPath, origin }: Asked) => {
  const post = async (body?: string, options: AskOptions = {}): Promise<Answer> => {
    const { method = "POST", headers, token = apiToken, several } = options;
    const url = new URL(`${trackUrl.replace(/\/+$/, "")}${eventPath}${several ? "s" : ""}`);
    if (token) url.searchParams.set("api_token", token);
    try {
      const response = await fetch(url, {
        method,
        body,
        headers: { Origin: origin, ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      const { name, message, cause } = error as Error;
      const why = name === "TimeoutError" ? `within ${TIMEOUT_MS / 1_000} s` : (cause as Error)?.message || message;
      throw new Error(`no answer: ${why}`);
    }
  };
  return {
    post,
    /** What a browser asks before the first event of a page of another origin. */
    preflight: (options: AskOptions = {}) =>
      post(undefined, {
        ...options,
        method: "OPTIONS",
        headers: {
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "content-type",
          ...options.headers,
        },
      }),
    origin,
  };
};

/** An event of a test; `changed` takes the place of its members. */
export const eventOf = (params: Record<string, unknown> = {}, changed: Record<string, unknown> = {}): string =>
  JSON.stringify({ contact_uid: NAME, event_uid: NAME, params: { account_uid: NAME, ...params }, ...changed });

/** The four members of a stamp; the same `id` is the same event. */
export const stampOf = (id: string = crypto.randomUUID(), seq = 1): Record<string, unknown> => ({
  event_id: id,
  occurred_at: Date.now(),
  event_source: crypto.randomUUID(),
  event_seq: seq,
});

/** What a case says of an answer: nothing, or what is wrong with it, in the service's own words. */

/** What is wrong; nothing where all is as it must be. */
export type Verdict = string | undefined;

export interface Case {
  /** As docs/endpoint.md names it. */
  name: string;
  /** What must hold, as a sentence. */
  what: string;
  /** Events arrive although it is not so: a warning. */
  isAdvice?: boolean;
  run: (ask: Ask) => Promise<Verdict>;
}

const told = ({ status, text }: Answer): string => {
  const words = text.trim().replace(/\s+/g, " ").slice(0, 120);
  return `${status}${words && `: ${words}`}`;
};

/** The answer must be a 2xx. */
export const stored = (answer: Answer): Verdict =>
  answer.status >= 200 && answer.status < 300 ? undefined : `expected 2xx, got ${told(answer)}`;

/** The answer must be one of these. */
export const oneOf = (answer: Answer, ...statuses: number[]): Verdict =>
  statuses.includes(answer.status) ? undefined : `expected ${statuses.join(" or ")}, got ${told(answer)}`;

/** The answer is no 2xx, and does not speak of the service: the script would try it again for ever. */
export const refused = (answer: Answer): Verdict => oneOf(answer, 400, 413, 422);

/** A page of `origin` may read the answer. */
export const readable = (answer: Answer, origin: string): Verdict => {
  const allowed = answer.headers.get("access-control-allow-origin");
  if (allowed === "*" || allowed === origin) return;
  return `expected Access-Control-Allow-Origin: * or ${origin} with status ${answer.status}, got ${allowed ?? "none"}`;
};

/** The header names all of these. */
export const lists = ({ headers }: Answer, header: string, name: string): Verdict => {
  const names = headers.get(header) ?? "";
  const isListed = names.split(",").some((one) => ["*", name.toLowerCase()].includes(one.trim().toLowerCase()));
  return isListed ? undefined : `expected ${header}: ${name}, got ${names || "none"}`;
};

/** The first of these that is wrong. */
export const first = (...verdicts: Verdict[]): Verdict => verdicts.find((verdict) => verdict !== undefined);
