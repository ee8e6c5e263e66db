/** What the add-on for clicks makes of clicks and forms. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchClicks } from "../../../src/addons/click-listener.js";
import type { Params } from "../../../src/types/declared.js";

// Nobody leaves the test's page.
document.addEventListener("click", (event) => find("a") && event.preventDefault(), true);

let tracked: [eventUid: string, params: Params][];
let end: () => void;
beforeEach(() => {
  tracked = [];
  end = watchClicks((...call) => tracked.push(call), { outbound: true, downloads: true });
});
afterEach(() => {
  end();
  Reflect.deleteProperty(window, "trackletClicks");
});

const find = (selector: string): HTMLElement => document.querySelector(selector)!;
/** Shows this markup, which comes after the add-on, and fires an event at its element `b`. */
const fire = (markup: string, type = "click", button = 0): void => {
  document.body.innerHTML = markup;
  find("b, [b]").dispatchEvent(new MouseEvent(type, { button, bubbles: true, composed: true, cancelable: true }));
};

describe("elements with a name", () => {
  it.each<[what: string, tracked: [string, Params?] | undefined, markup: string, type?: string, button?: number]>([
    [
      "a click inside one, with its params",
      ["plan_chosen", { plan: "team", seat_count: "5" }],
      '<button data-track="plan_chosen" data-track-plan="team" data-track-seat-count="5" data-id="1"><b>Go</b></button>',
    ],
    ["the innermost one", ["in"], '<p data-track="out"><i data-track="in"><b>x</b></i></p>'],
    ["no name", undefined, '<p data-track="" data-tracking="x" data-track-plan="team"><b>x</b></p>'],
    ["a middle click on a link", ["read"], '<a href="/x" data-track="read"><b>x</b></a>', "auxclick", 1],
    ["a middle click on a button", undefined, '<button data-track="paid"><b>x</b></button>', "auxclick", 1],
    ["a right click", undefined, '<a href="/x" data-track="read"><b>x</b></a>', "auxclick", 2],
    [
      "a form that is submitted, not its values",
      ["sent", { form: "contact" }],
      '<form b data-track="sent" data-track-form="contact"><input name="mail" value="jane@mail.example"></form>',
      "submit",
    ],
    ["a click in a form with a name", undefined, '<form data-track="sent"><b>x</b></form>'],
    ["a form without a name in a named part", undefined, '<div data-track="part"><form b></form></div>', "submit"],
  ])("%s", (_, expected, ...args) => {
    fire(...args);
    expect(tracked).toEqual(expected ? [[expected[0], expected[1] ?? {}]] : []);
  });

  it("hears what a component stops, and what happens in open shadow roots, until its end", () => {
    document.body.innerHTML = '<div data-track="card_opened"></div>';
    const root = find("div").attachShadow({ mode: "open" });
    root.innerHTML = '<button data-track="saved">Save</button><i>x</i><form data-track="sent"></form>';
    root.addEventListener("click", (event) => event.stopImmediatePropagation(), true);
    const act = () => {
      for (const selector of ["button", "i"])
        root.querySelector(selector)!.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
      // It does not leave the root.
      root.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true }));
    };
    act();
    end();
    act();
    expect(tracked.map(([uid]) => uid)).toEqual(["saved", "card_opened", "sent"]);
  });

  it.each([
    '<label b data-track="chosen">Team<input type="radio"></label>',
    '<div data-track="chosen"><label b for="team">Team</label><input type="radio" id="team"></div>',
    '<label b for="team" data-track="chosen">Team</label><input type="radio" id="team">',
  ])("counts a click on a label once: %s", (markup) => {
    document.body.innerHTML = markup;
    find("label").click();
    expect(tracked).toEqual([["chosen", {}]]);
  });
});

describe("links", () => {
  const OTHER = "https://other.example";
  it.each<[href: string, tracked: [string, string] | undefined, attributes?: string]>([
    [`https://jane:pw@other.example/a?code=1#b`, ["link_clicked", `${OTHER}/a`]],
    [`${OTHER}/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs/edit`, ["link_clicked", `${OTHER}/d/REDACTED/edit`]],
    [`${OTHER}/u/jane@mail.example/x`, ["link_clicked", `${OTHER}/u/REDACTED/x`]],
    ["/inside", undefined],
    ["mailto:jane@mail.example", undefined],
    ["data:text/plain,secret", undefined, "download"],
    [`${OTHER}/a.PDF?v=2`, ["file_downloaded", `${OTHER}/a.PDF`]],
    ["https://site.example/b", ["file_downloaded", "https://site.example/b"], "download"],
  ])("%s", (href, expected, attributes = "") => {
    fire(`<a href="${href}" ${attributes}><b>x</b></a>`);
    expect(tracked).toEqual(expected ? [[expected[0], { link_url: expected[1] }]] : []);
  });

  it.each<[options: object, tracked: string[]]>([
    [{}, []],
    [{ outbound: "", downloads: "false" }, ["link_clicked", "link_clicked"]],
    [{ downloads: "true" }, ["file_downloaded"]],
  ])("are tracked where the options %j say so", (options, expected) => {
    end();
    end = watchClicks((...call) => tracked.push(call), options);
    for (const path of ["/a", "/a.zip"]) fire(`<a href="${OTHER}${path}"><b>x</b></a>`);
    expect(tracked.map(([uid]) => uid)).toEqual(expected);
  });
});

it("called again, it takes the place of the one before, and its end leaves the later one alone", () => {
  const before = end;
  end = watchClicks((...call) => tracked.push(call), {});
  const click = () => fire('<b data-track="read">x</b>');
  click();
  before();
  click();
  expect(tracked).toEqual([
    ["read", {}],
    ["read", {}],
  ]);
});

it("the module uses the page's tracker, which may come later", async () => {
  const { trackClicks } = await import("../../../src/clicks.js");
  vi.stubGlobal("tracklet", undefined);
  const stop = trackClicks();
  fire('<b data-track="early">x</b>');
  expect((window as { tracklet?: unknown }).tracklet).toEqual([["track", "early", {}]]);
  stop();
});
