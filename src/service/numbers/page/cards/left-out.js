import { link, make, replace } from "../base/elements.js";
import { linkToAccount, linkToContact } from "../base/route.js";

/** Says who counts nowhere: one's own accounts and contacts. */
export const createLeftOut = (ask) => {
  const element = make("p.note", { hidden: "", "data-left-out": "" });
  return {
    element,
    async load() {
      const { data } = (await ask.get("/v2/numbers/left-out")) ?? { data: [] };
      element.hidden = data.length === 0;
      const links = data.flatMap((one, at) => [
        ...(at > 0 ? [", "] : []),
        link(one.kind === "account" ? linkToAccount(one) : linkToContact(one), one.name),
      ]);
      replace(element, `Left out of all figures, as one's own: ${data.length} (`, ...links, ").");
      return data;
    },
  };
};
