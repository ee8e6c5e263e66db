import { createHmac, timingSafeEqual } from "node:crypto";
import { DEFAULT_WORKSPACE, remembering } from "../base/exact-text.js";
import { DAY_MS, LONGEST_WAIT_MS } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import { HttpError } from "../http/error-answers.js";
import type { Count } from "./schemas.js";

export const PROOF_MEMBER = "identity_proof";
/** `1.<issued>.<expires>.<HMAC-SHA256 in hexadecimal>`; the times are seconds since 1970. */
const PROOF = /^1\.(\d{1,12})\.(\d{1,12})\.([0-9a-f]{64})$/;
/**
 * Milliseconds for which a proof is good, at most. One that got into wrong hands is good for events that say to have occurred in its
 * time, for as long as an event may wait (31 days); a new secret ends it.
 */
const LONGEST_MS = DAY_MS;

/** Whose an event is said to be, when, and what proves that. */
export interface Claim {
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  /** `params.identity_proof`, as it was sent. */
  proof: unknown;
  /** Epoch milliseconds. */
  receivedAt: number;
  occurredAt: number | undefined;
}

/** Whether the proof of an event holds; nothing where none is asked for or given. @throws HttpError 422 where it must hold */
export type Prove = (claim: Claim) => boolean | undefined;

/**
 * The secret with which a workspace signs: that of the option for the workspace `default`, and one made of it for each other,
 * so that none can sign for another one.
 */
export const secretOf = (secret: string, workspace: string): string =>
  workspace === DEFAULT_WORKSPACE
    ? secret
    : createHmac("sha256", secret).update(`workspace:${workspace}`).digest("hex");

/**
 * Looks at the proofs of identity.
 *
 * @param identity `off`: none is looked at; `mark`: what was found is stored; `require`: what does not hold is refused
 * @param identitySecret the secret, or two while one replaces the other
 */
export const createProve = (
  { identity, identitySecret }: Pick<ServiceConfig, "identity" | "identitySecret">,
  count: Count = () => {},
): Prove => {
  if (identity === "off" || identitySecret === undefined) return () => undefined;
  const secretsOf = remembering(
    (workspace) => identitySecret.split(",").map((secret) => secretOf(secret, workspace)),
    1_000,
  );
  return (claim) => {
    if (claim.proof === undefined && identity === "mark") return undefined;
    const wrong = fault(claim, secretsOf(claim.workspace));
    count("identity_proofs_total", {
      result: wrong === undefined ? "held" : "failed",
      workspace: claim.workspace,
    });
    if (wrong !== undefined && identity === "require")
      throw new HttpError(422, `params.identity_proof ${wrong}`, {}, "identity");
    return wrong === undefined;
  };
};

const fault = (
  { contactUid, accountUid = "", proof, receivedAt, occurredAt = 0 }: Claim,
  secrets: readonly string[],
): string | undefined => {
  if (proof === undefined) return "is missing: the site's server has to sign who the contact is";
  const [, issued, expires, given] = PROOF.exec(typeof proof === "string" ? proof : "") ?? [];
  if (given === undefined) return "is none: it is made by proveIdentity of tracklet/send";
  const members = [contactUid, accountUid, issued!, expires!];
  const isSigned = secrets.some((secret) => timingSafeEqual(Buffer.from(given, "hex"), sign(secret, members)));
  if (!isSigned) return "does not hold for this contact and this account";
  const [from, until] = [Number(issued) * 1_000, Number(expires) * 1_000];
  if (until - from > LONGEST_MS) return "is good for more than 24 hours";
  // One without a time of its own may be as old as an event gets.
  if (until < Math.max(occurredAt, receivedAt - LONGEST_WAIT_MS)) return "had expired when the event occurred";
  return undefined;
};

/** The length in bytes stands before each member, so that nothing can be shifted from one into the next. */
const sign = (secret: string, members: readonly string[]): Buffer =>
  createHmac("sha256", secret)
    .update(members.map((member) => `${Buffer.byteLength(member)}:${member}`).join(""))
    .digest();
