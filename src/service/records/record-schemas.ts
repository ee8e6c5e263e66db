import { Type } from "typebox";

const open = { additionalProperties: true };

const Seconds = Type.Integer({ description: "Unix epoch, seconds" });
export const Stage = Type.Object({ name: Type.String(), id: Type.String() }, open);
const Metrics = Type.Object({ health: Type.Optional(Type.Integer()) }, open);
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
