import { Type } from "typebox";

export const ErrorBody = Type.Object(
  { error: Type.String({ description: "What is wrong, for a person" }) },
  { $id: "Error" },
);

/** The answers with an error body, for a route's schema. */
export const errors = <const Status extends number>(...statuses: Status[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: MEANING[status] ?? "Error", ...Type.Ref("Error#") }]),
  );

const MEANING: Record<number, string> = {
  400: "Something in the request is wrong; the text names it",
  401: "The token is wrong or missing",
  404: "The object was not found",
  405: "The method is not allowed here; `Allow` names those that are",
  413: "The body is too large",
  415: "The body is neither `application/json` nor `text/plain` holding JSON",
  429: "Too many requests; `Retry-After` says how many seconds to wait",
  500: "The service failed",
  503: "The service cannot store or read now; `Retry-After` says when to try again",
};
