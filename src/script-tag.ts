/** The script-tag form: the attributes of the tag are the options. */
import { openHub } from "./browser/hub.js";
import { currentScript } from "./browser/page.js";
import { attempt } from "./shared/attempt.js";

attempt(() => {
  // Where the page does not say which tag is running (a module, some ways of insertion), the one that is ours is meant.
  const tag = currentScript() ?? document.querySelector<HTMLElement>("script[data-track-url]");
  const options = { ...tag?.dataset };
  // What waits comes first: where a tag manager takes attributes away, `push(["init", …])` configures it.
  openHub(options.name).init(options as never);
});
