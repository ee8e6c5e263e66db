/**
 * What an app that has declared no events may give, and what not: `tsc -p test` fails when one of the latter compiles, and
 * package/compilers.test.ts holds the same against the package.
 */
import {
  type Config,
  type EventName,
  type Events,
  identify,
  pageview,
  type TrackArguments,
  type Tracker,
  track,
} from "../../src/index.js";

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** As an app writes it: without an index signature. */
interface Item {
  id: string;
  price?: number;
  tags: readonly string[];
  at: Date;
}

interface Tree {
  name: string;
  children: Tree[];
  parent?: Tree;
}

class Basket {
  readonly items: Item[] = [];
  private readonly vat = 19;
  sum(): number {
    return this.items.length * this.vat;
  }
}

class Money {
  constructor(readonly cents: bigint) {}
  toJSON(): string {
    return `${this.cents}`;
  }
}

export const right = (json: Json, unknown: unknown, item: Item, tree: Tree, text: string, maybe?: string): void => {
  track("x");
  track(text, undefined);
  track("x", { json, unknown, any: JSON.parse("5") });
  track("x", {} as Record<string, unknown>);
  track("x", {} as { a?: string; b?: { c?: { d?: number } } | undefined });
  track("x", { maybe, none: null, either: item as Item | string | null });
  track("x", item);
  track("x", { item, items: [item], pair: [1, "a"] as const, deep: { deep: { deep: { deep: item } } } });
  track("x", tree);
  track("x", { trees: [tree] });
  // A class is written by its fields, or as it says itself.
  track("x", new Basket());
  track("x", { a: { baskets: [new Basket()] }, ...new Basket() });
  track("x", { price: new Money(5n), at: new Date(), url: new URL("https://shop.example") });
  // This may be a form: it has no stack.
  track("x", { name: "Ann", message: "hello" });
  pageview({ visit_url: "/a", plan: "team" });
  identify(text, null);
  identify("ann", maybe);
  identify(7 as string | number, 8);

  const report = <Name extends EventName<Events>>(name: Name, ...params: TrackArguments<Events, Name>): void =>
    track(name, ...params);
  report("x", { a: 1 });
  report(text);
};

export const wrong = (event: MouseEvent, map: Map<string, string>, run: () => void, error: TypeError): void => {
  // @ts-expect-error an event has a name
  track("");
  // @ts-expect-error whatever its params are
  track("", {});
  // @ts-expect-error a person has an id
  identify("");
  // @ts-expect-error an event of the page is no params
  track("x", event);
  // @ts-expect-error nor those of a view
  pageview(event);
  // @ts-expect-error nor is a Map
  track("x", map);
  // @ts-expect-error nor a list
  track("x", ["a"]);
  // @ts-expect-error nor a function
  track("x", run);
  // @ts-expect-error JSON makes {} of what went wrong
  track("x", error);
  // @ts-expect-error as a member, too
  track("x", { error });
  // @ts-expect-error JSON makes {} of a Map
  track("x", { map });
  // @ts-expect-error which may be missing
  track("x", {} as { map?: typeof map });
  // @ts-expect-error or another type
  track("x", { map: map as typeof map | string });
  // @ts-expect-error at the fourth level
  track("x", { a: { b: { c: { d: map } } } });
  // @ts-expect-error so it does of a Set
  track("x", { tags: new Set(["a"]) });
  // @ts-expect-error of what is not there yet
  track("x", { a: { page: Promise.resolve(1) } });
  // @ts-expect-error of a pattern
  track("x", { by: /shoes/ });
  // @ts-expect-error of a buffer
  track("x", { a: [new ArrayBuffer(8)] });
  // @ts-expect-error of its bytes a member each
  track("x", { a: new Uint8Array(8) });
  // @ts-expect-error of a file
  track("x", { files: [new Blob([])] });
  // @ts-expect-error and leaves a function out
  track("x", { run });
  // @ts-expect-error at the fourth level
  track("x", { a: { b: { c: { run } } } });
  // @ts-expect-error or makes null of it
  track("x", { all: [run] });
  // @ts-expect-error and a symbol
  track("x", { kind: Symbol("a") });
  // @ts-expect-error it cannot write a bigint
  track("x", { a: { id: 12n } });
  // @ts-expect-error nor a node
  track("x", { a: { on: document.body } });
  // @ts-expect-error nor an event of the page
  track("x", { a: [{ event }] });
};

/** In what a page gives itself, no name of the stamp is free. That `stamp: false` frees them: app.ts. */
export const name = (
  till: Tracker<{ sold: { event_id: string } }>,
  ticket: { event_id: string },
  unknown: Record<string, unknown>,
): Config[] => {
  // @ts-expect-error whoever declares it
  till.track("sold", { event_id: "T-42" });
  // @ts-expect-error the name of a literal
  track("sold", { event_id: "T-42" });
  // @ts-expect-error of an interface
  track("sold", ticket);
  // @ts-expect-error of a view
  pageview({ event_seq: 1 });
  track("sold", unknown);
  pageview(unknown);
  const to = { apiToken: "token", trackUrl: "/proxy" };
  return [
    { ...to, params: unknown },
    { ...to, params: () => unknown },
    // @ts-expect-error of every event
    { ...to, params: { occurred_at: 5 } },
    // @ts-expect-error of every event, when it is asked for
    { ...to, params: () => ({ event_source: "mail" }) },
  ];
};
