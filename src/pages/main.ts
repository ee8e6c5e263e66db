import type { Arrival } from "./arrivals.js";
import { createLeftOut } from "./cards.js";
import { find } from "./elements.js";
import { createAccounts, createPeople } from "./lists.js";
import { showLive } from "./live.js";
import { createNumbers } from "./numbers.js";
import { createAccount, createContact } from "./one-record.js";
import { createOwnPeople } from "./own-people.js";
import { createQuestions } from "./questions.js";
import { type Ask, createAsk } from "./session.js";
import { createSteps } from "./steps.js";
import { linkTo, readPath } from "./url-state.js";

/* The pages of the service, for whoever has the access token. */

const createLive = (main: Element, ask: Ask) => {
  const leftOut = createLeftOut(ask);
  const { view } = showLive(main, async (query) => {
    // First of all, as it says in which zone times are told.
    if (!leftOut.element.isConnected) {
      await leftOut.load();
      view.append(leftOut.element);
    }
    const answer = await ask.get<{ data: Arrival[] }>(`/v2/events?${query}`);
    if (answer === undefined) throw new Error("the token is wrong");
    return answer.data;
  });
  document.title = "Live · tracklet";
  return { show: async () => {}, close: () => view.remove() };
};

interface View {
  show: () => Promise<void>;
  close: () => void;
}
const VIEWS: Record<string, (main: Element, ask: Ask, id: string) => View> = {
  numbers: createNumbers,
  accounts: createAccounts,
  contacts: createPeople,
  live: createLive,
  account: createAccount,
  contact: createContact,
  steps: createSteps,
  questions: createQuestions,
  "left-out": createOwnPeople,
};

const main = find("main");
const [nav, footer] = [find("nav.pages"), find("footer")];
let shown: { page: string; view: View } | undefined;

const close = () => {
  shown?.view.close();
  shown = undefined;
};
const open = async () => {
  const { page, id = "" } = readPath();
  const of = page === "live" || page === "numbers" ? "/" : `/${page.replace(/s?$/, "s")}`;
  for (const link of nav.querySelectorAll("a")) {
    const isLive = link.hash === "#live";
    // A page shows the time that was chosen on the one before.
    if (!isLive) link.href = linkTo(link.pathname);
    if (link.pathname === of && isLive === (page === "live")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // Whoever looks at the figures of others is no visitor.
  footer.hidden = !/^(numbers|left-out)$/.test(page);
  nav.hidden = !ask.open();
  if (nav.hidden) return;
  nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (shown?.page !== page) {
    close();
    shown = { page, view: VIEWS[page]!(main, ask, id) };
  }
  await shown.view.show();
};

const ask = createAsk({
  opened: async () => {
    await open();
    // A token that is wrong is asked for again.
    if (shown !== undefined) main.focus({ preventScroll: true });
  },
  closed: () => {
    close();
    open();
  },
});

// To be dragged, not to be followed: it is for other pages.
const bookmark = find<HTMLAnchorElement>("[data-bookmark]");
bookmark.href = `javascript:void import("${new URL("/inspector.js", location.href)}?" + Date.now())`;
bookmark.addEventListener("click", (event) => event.preventDefault());

addEventListener("hashchange", open);
// Who was erased meanwhile is not shown once more by going back.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
open();
