import type { FastifyRequest } from "fastify";
import type { ServiceConfig } from "../config/options.js";
import type { Answered } from "../http/errors.js";
import type { createQuota } from "../http/limits.js";
import type { Access } from "../http/tokens.js";
import type { createHeld } from "./held.js";
import type { Prove } from "./identity.js";

/** An event that was refused among others: what `FastifyRequest` says of one that comes alone. */
export interface RefusedRow {
  body: unknown;
  bodyText: string;
  bodyBytes: number;
}

type Limits = Pick<ServiceConfig, "maxEventBytes" | "addressQuota" | "tokenQuota">;

export interface EventOptions extends Limits {
  /** Whether pages are told that several events may come in one request. */
  batch: ServiceConfig["batch"];
  /** Whether events of a browser with Global Privacy Control are stored. */
  gpc: ServiceConfig["gpc"];
  access: Access;
  prove: Prove;
  /** Is called with the number of events that are not stored, as their browser asks for it. */
  tellObeyed(events: number): void;
  /** Is called for each event with members that are left out. */
  tellIgnored(): void;
  /** Is called for each event that is refused among others. */
  tellRefused(request: FastifyRequest, answer: Answered, row: RefusedRow): void;
}

/** What the routes of one event and of several bound together. */
export interface Shared extends EventOptions {
  spend: ReturnType<typeof createQuota>;
  hold: ReturnType<typeof createHeld>;
}
