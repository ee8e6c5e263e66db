import { Type } from "typebox";
import { parseJson } from "../base/exact-text.js";

const open = { additionalProperties: true };

const Seconds = Type.Integer({ description: "Unix epoch, seconds" });
export const Stage = Type.Object({ name: Type.String(), id: Type.String() }, open);
const Metrics = Type.Object({ health: Type.Optional(Type.Union([Type.Number(), Type.String()])) }, open);

/** What `health_source` says of a health that nobody has set. */
export const activitySource = (health: unknown): string => `activity: ${health}`;

/** The health that was set, as it was. */
export const healthOf = ({ health, health_value }: Record<string, unknown>): number | string | undefined =>
  health == null ? (parseJson(String(health_value ?? "")) as number | string | undefined) : Number(health);

const Data = Type.Object({}, { ...open, description: "Custom attributes" });
const references = <T extends "account" | "contact">(kind: T) =>
  Type.Object({
    object: Type.Literal(`${kind}.list`),
    data: Type.Array(Type.Object({ id: Type.String() }), { description: "The first 1,000" }),
    total: Type.Integer({ description: "How many there are (of this service alone)" }),
  });

export const Account = Type.Object(
  {
    object: Type.Literal("account"),
    id: Type.String({ description: "Internal id" }),
    unique_id: Type.String({ description: "The caller's id (`uid`)" }),
    created_at: Seconds,
    data: Data,
    stage: Type.Optional(Stage),
    salesmachine: Metrics,
    contacts: references("contact"),
  },
  { ...open, $id: "Account", description: "An account" },
);

export const Contact = Type.Object(
  {
    object: Type.Literal("contact"),
    id: Type.String({ description: "Internal id" }),
    unique_id: Type.String({ description: "The caller's id (`uid`)" }),
    created_at: Seconds,
    archived: Type.Boolean(),
    data: Data,
    stage: Type.Optional(Stage),
    salesmachine: Metrics,
    accounts: references("account"),
  },
  { ...open, $id: "Contact", description: "A contact" },
);
