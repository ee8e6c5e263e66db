/** Whose an event is (design §3.9): the document's own contact, or the last one of the site. */
import { expect } from "vitest";
import { each, inStory, stories, type Teller } from "./story.js";

stories("a contact", {
  "may have any characters": async ({ tell, act, page, world }) => {
    const name = '"[],\\\n\u2028\u0001 日本 \ud83d\ude00';
    await tell("A opens nobody");
    await act(page("A"), `identifies ${name}/${name}`);
    await tell("1 s; B opens nobody; B tracks; 60 s");
    expect(world.sent.map(({ body }) => JSON.parse(body))).toEqual([
      { contact_uid: name, event_uid: "e1", params: { account_uid: name } },
    ]);
  },
  "ends by a reset in every document, also in one from the back/forward cache, whatever comes first": async () => {
    for (const how of ["", "unseen"])
      await inStory(async ({ tell, world }) => {
        world.storage.lag = () => 0;
        await tell(`A opens nobody; B opens nobody; C opens nobody; A identifies ann/acme; B identifies ann/acme; C identifies ann/acme
        weather refused; C tracks 3; 1 s; C freezes; A resets; A identifies bob; 1 s; B tracks; A tracks 2; 1 s
        C returns ${how}; C tracks 2; 1 s; weather up; 120 s; once; owners ann/acme x3, bob x5`);
      });
  },
  // What another one names next holds all the same.
  "ends by a reset although the page empties the storage in the same task": async ({ tell, world }) => {
    await tell("A opens; B opens; 1 s; A resets; A clears; 1 s; B tracks; 1 s; requests 0");
    expect(Object.values(world.storage.rows).filter((row) => row.includes("ann"))).toEqual([]);
    await tell("A identifies bob; 1 s; B tracks; 60 s; owners nobody, bob");
  },
  "is gone by a reset on a full storage, for the next page, too":
    "A opens; storage full; A resets; A crashes; 1 s; B opens nobody; B tracks; 60 s; requests 0",
  "that could not be stored gives way to what another document stores later": `
    A opens nobody; B opens nobody; storage full; A identifies ann; storage free; B resets; B identifies bob; 1 s
    A tracks; 60 s; owners bob`,
  ...each(["emptied", "denied", "full"], (storage) => [
    `is known although the storage is ${storage}`,
    `A opens nobody; A identifies ann; ${storage === "emptied" ? "A clears" : `storage ${storage}`}
     A identifies somebody/acme; A hides; A shows; A tracks; 60 s; owners somebody/acme`,
  ]),
  ...each(["", "x", "{", "null", '[0,"a"]', "\0"], (row) => [
    `is nobody where something else has written its row, which does no harm (${row})`,
    `row identity ${row}; A opens nobody; 1 s; A identifies ann; A tracks; 1 s; B opens nobody; B tracks; 60 s
     owners ann x2`,
  ]),
});

/** Pages whose apps learn the user from a call, and what they are told late. */
stories("with identity: page", {
  "what a document tracks before its own identify waits in memory, and is stored with its contact": `
    A opens nobody identity=page; A tracks 2; 5 s; requests 0; waiting ; A flushes 0 2 0 0; weather unavailable
    A identifies ann/acme; waiting e1 e2; keys event event here; A crashes; weather up
    B opens nobody identity=page; 60 s; once; owners ann/acme x2`,
  "100 events wait, for a day at most, and are told where they are dropped": async ({ tell, page }) => {
    await tell("A opens nobody identity=page; A tracks 60; 43200 s; A tracks 41; 1 s; A told evicted identify e101");
    await tell("46800 s; A tracks 2; A identifies ann; 60 s; requests 41");
    expect(page("A").problems.length).toBe(1);
  },
  "after a log-out nobody is meant in that document, and the next one begins waiting": `
    A opens nobody identity=page; A identifies ann; A resets; A tracks; 1 s; A leaves
    B opens nobody identity=page; B tracks; 700 ms; B identifies bob; 60 s; owners nobody, bob`,
  "a log-out in one tab holds in the others, also for what waits there": `
    A opens nobody identity=page; B opens nobody identity=page; C opens nobody identity=page; A identifies ann; B identifies ann
    C tracks; A resets; 1 s; B tracks; C tracks; C identifies bob; C tracks; B identifies bob; B tracks; 60 s
    owners nobody x3, bob x2`,
  "a page from the back/forward cache keeps whom it knew, unless somebody has logged out meanwhile": `
    A opens nobody identity=page; A identifies ann; 1 s; A freezes; B opens nobody identity=page; B identifies bob; 1 s
    A returns; A tracks; 1 s; A freezes; B resets; B identifies eve; 1 s; A returns; A tracks; 60 s; owners ann, nobody`,
  "what waits ends with a refusal": `
    A opens nobody identity=page; A tracks; A refuses; A agrees; A identifies ann; A tracks; 60 s; sent e2`,
  "consent that is pending comes before": `
    A opens nobody identity=page pending; A tracks; A identifies ann; 1 s; waiting ; A agrees; 60 s; owners ann`,
});

/** The proofs of the events that were accepted, in their order. */
const accepted = ({ world, entries }: Teller): string[] =>
  [...entries.values()].flatMap(({ name, stored }) =>
    stored ? [JSON.parse(world.sent.findLast((sent) => sent.name === name)!.body).params.identity_proof] : [],
  );
/** A service that takes what bears one of these proofs alone. */
const demand = ({ service }: Teller, ...proofs: string[]): void => {
  service.rule = ({ body }) => [proofs.includes(JSON.parse(body).params.identity_proof) ? 200 : 422];
};

stories("a proof of identity", {
  "travels with what is tracked under it, in other documents and with what waited for its contact, too": async (
    teller,
  ) => {
    await teller.tell(`A opens nobody; B opens nobody; A tracks; 1 s; A identifies ann/acme proof p1; 1 s; A tracks; B tracks
      1 s; A resets; A identifies bob; A tracks; 60 s; owners ann/acme x3, bob`);
    expect(accepted(teller)).toEqual(["p1", "p1", "p1", undefined]);
  },
  "takes the place of the one before of its contact and account in what waits, and of no other": async (teller) => {
    await teller.tell(`A opens nobody; weather unavailable; A identifies ann/acme proof p1; A tracks 2
      A identifies ann/globex proof p2; A tracks; 1 s; A identifies ann/acme proof p1; A identifies ann/acme proof p3; A tracks
      1 s; weather up; 60 s; once; owners ann/acme x2, ann/globex, ann/acme`);
    expect(accepted(teller)).toEqual(["p3", "p3", "p2", "p3"]);
  },
  ...each(["A opens nobody pending", "storage denied; A opens nobody", "A opens nobody; storage full"], (start) => [
    `that is new reaches what is in memory: ${start}`,
    async (teller) => {
      await teller.tell(
        `weather unavailable; ${start}; A identifies ann/acme proof p1; A tracks; 1 s; A identifies ann/acme proof p2`,
      );
      await teller.tell("A agrees; weather up; 60 s; once");
      expect(accepted(teller)).toEqual(["p2"]);
    },
  ]),
  "that does not hold pauses nobody else": async (teller) => {
    await teller.tell("A opens nobody");
    demand(teller, "good");
    await teller.tell(`A identifies ann/acme proof old; A tracks 12; 10 s; requests 12
      A identifies bob/acme proof good; A tracks; 1 s; requests 1`);
    expect(accepted(teller)).toEqual(["good"]);
  },
  "that is renewed lets what it kept go at once": async (teller) => {
    await teller.tell("A opens nobody");
    demand(teller, "good");
    await teller.tell(
      "A identifies ann/acme proof old; A tracks 12; 20 s; A identifies ann/acme proof good; 10 s; once",
    );
  },
  "is missing in what is refused: that is a wrong configuration": async (teller) => {
    await teller.tell("A opens nobody");
    demand(teller, "good");
    await teller.tell("A identifies ann; A tracks 12; 200 s; A told paused status 422");
  },
  "of any characters harms no event": `
    A opens nobody; A identifies ann proof $&"\\\u2028'; weather unavailable; A tracks; 1 s
    A identifies ann proof "}$'; 1 s; weather up; 60 s; once`,
});

stories("events before anybody is named", {
  "have the contact that their page has heard of first, whoever sends them": `
    A opens nobody; B opens nobody; 1 s; row backoff NOW,60000,9,0,wait; A hides; A tracks; 500 ms; B identifies ann; 500 ms
    A crashes; B identifies bob; 90 s; owners ann`,
  // What is young goes without a lock, and so before what has waited.
  "come behind what is tracked then": "A opens nobody; A tracks; 60 s; A identifies bob; A tracks; 60 s; sent e2 e1",
  "wait on where the storage was emptied: nobody is named any more": `
    A opens; A resets; A identifies ann; weather unavailable; A tracks; 1 s; A clears; 1 s; B opens nobody; B tracks; 60 s
    weather up; 400 s; owners ann, nobody`,
  "are dropped by a reset in all tabs, also in the cache, and nobody gets them": `
    A opens nobody; B opens nobody; C opens nobody; A tracks 3; B tracks; C tracks; 1 s; C freezes; B resets; B identifies bob
    1 s; C returns; 60 s; requests 0; waiting `,
  "are dropped by a reset also where she was named for those of a dead tab, but for what was tried": `
    A opens nobody; A tracks 2; A crashes; weather silent; B opens nobody; B identifies ann; 4 s; B resets; weather up
    60 s; B identifies bob; 60 s; owners ann, nobody`,
  "go after a day": "A opens nobody; A tracks; 86400 s; A tracks; 60 s; waiting e2",
});

stories("a document that is allowed to store", {
  "is over with its contact where another one has logged out since": `
    A opens pending; B opens pending; 1 s; B resets; B agrees; 1 s; A tracks; 60 s; requests 0`,
  "keeps the contact that the storage knows from before, and events wait for it": `
    A opens as zoe; A resets; A identifies bob; A crashes; 1 s; B opens pending nobody; B tracks; B agrees; B tracks; 60 s
    owners bob x2`,
  ...each(["A opens pending nobody; B opens pending nobody", "A opens nobody; B opens nobody; A refuses"], (start) => [
    `keeps its contact where another tab that knows nobody agrees: ${start}`,
    `${start}; 1 s; A identifies bob; B agrees; 1 s; A tracks; 60 s; owners bob`,
  ]),
});
