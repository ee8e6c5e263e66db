/** The script-tag form: the attributes of the tag are the options. */
import { openHub } from "./browser/global.js";

/** Where the page does not say which tag is running (a module, some ways of insertion), all that are ours are meant. */
const tags: Iterable<Element> = document.currentScript
  ? [document.currentScript]
  : document.querySelectorAll("script[data-track-url]");
const found = [...tags].map((tag) => (tag as HTMLElement).dataset);

for (const options of found[0] ? found : [{}]) openHub(options.name).init(options as never);
