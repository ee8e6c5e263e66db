import { WORDS } from "./cards.js";
import { make, replace } from "./elements.js";
import type { Accounts, Answer, Ask, Named } from "./session.js";

/* Somebody is meant by a field: by a uid, or by a name. */

/** Where a field's suggestions come from, by the list that they stand in. */
export const OFFERED = {
  names: "questions/keys?most=1000&series=0",
  accounts: "accounts?limit=1000",
  contacts: "contacts?limit=1000",
};

/** What fields suggest: uids, each with its name. It is asked for when one of them is about to be used. */
export const createOffer = (ask: Ask, id: string, of: readonly (keyof typeof OFFERED)[]) => {
  const element = make("datalist", { id });
  const load = async () => {
    if (element.childElementCount > 0) return;
    const answers = await Promise.all(of.map((one) => ask.get<Answer>(`/v2/numbers/${OFFERED[one]}&span=90d`)));
    // Some browsers show, and look in, what stands in it alone.
    const option = ({ key, unique_id: value = key, name = value }: Answer["data"][number]) =>
      make("option", { value: String(value) }, name === value ? "" : `${name} (${value})`);
    replace(element, ...answers.flatMap((answer) => answer?.data ?? []).map(option));
  };
  return { element, load };
};

/** @throws Error that says at the field of this kind why none, or not one, is meant */
export const findOne = async (ask: Ask, kind: keyof typeof WORDS, text: string): Promise<Omit<Named, "name">> => {
  const asked = encodeURIComponent(text);
  const own = await ask.get<Named>(`/v2/${kind}s?uid=${asked}`).catch((error: { status?: number }) => {
    if (error.status !== 404) throw error;
  });
  if (own) return own;
  const path = `/v2/numbers/${kind}s?limit=1000&search=${asked}`;
  const { data, total } = (await ask.get<Pick<Accounts, "data" | "total">>(path)) ?? { data: [], total: 0 };
  const same = data.filter(({ name }) => name.localeCompare(text, undefined, { sensitivity: "base" }) === 0);
  const [one, other] = same.length > 0 ? same : data;
  if (one && !other) return one;
  const many = `${same.length || total} ${kind === "account" ? "accounts" : "people"} match this: give the uid of one.`;
  throw Object.assign(new Error(one ? many : `No ${WORDS[kind]} has this name or uid.`), { kind });
};
