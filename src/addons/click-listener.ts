/** Tracks what a visitor clicks and submits, as the page's markup names it. */
import { bareUrl, type Ends, type Track } from "./track.js";

/** What is tracked beside the elements that have `data-track`. */
export interface ClickOptions {
  /** Tracks `link_clicked` for links to other hosts. Default `false`. */
  outbound?: boolean | undefined;
  /** Tracks `file_downloaded` for links that have `download`, or lead to a file with a usual ending. Default `false`. */
  downloads?: boolean | undefined;
}

const FILE = /\.(pdf|zip|csv|docx?|xlsx?)$/i;

/** A switch, also as an attribute of a tag: empty or `"true"`. */
const isOn = (value?: boolean | string): boolean => /^(true)?$/.test(value as string);

/**
 * Listens on the way down, before anything in the page can stop an event.
 *
 * @returns what takes the listeners off again
 */
export const watchClicks = (track: Track, { outbound, downloads }: ClickOptions): (() => void) => {
  const controller = new AbortController();
  const options = { capture: true, signal: controller.signal };

  const hear = (event: Event): void => {
    try {
      const path = event.composedPath() as HTMLElement[];
      // What is submitted in a shadow root is heard nowhere else. Somebody has clicked there, or put the focus there, before.
      for (const target of path) if (target instanceof ShadowRoot) target.addEventListener("submit", hear, options);

      const link = path.find((target) => target.localName === "a") as HTMLAnchorElement | undefined;
      // The middle button opens a link, and does nothing to anything else; the right one opens a menu.
      if ((event as MouseEvent).button > (link ? 1 : 0)) return;

      // Document and window, which end the path, have no attributes.
      const named = path.find(
        (target) => target.dataset?.track && (target.localName === "form") === (event.type === "submit"),
      );
      // The browser clicks the control of a label next: that one counts.
      const control = path[0]!.closest("label")?.control as HTMLElement;
      if (named && (!named.contains(control) || path.includes(control))) {
        const params: Record<string, unknown> = {};
        for (const { name, value } of named.attributes) {
          const words = name.split("data-track-")[1];
          if (words) params[words.replace(/-/g, "_")] = value;
        }
        track(named.dataset.track!, params);
      }

      // Other schemes than `http` mostly have none: mail and telephone, `blob:` and `data:`.
      if (!link?.host) return;
      const params = { link_url: bareUrl(link) };
      if (isOn(downloads) && (link.hasAttribute("download") || FILE.test(link.pathname)))
        track("file_downloaded", params);
      else if (isOn(outbound) && link.host !== location.host) track("link_clicked", params);
    } catch {
      // A form whose inputs hide its members by their names is the page's own affair, and no error of it.
    }
  };

  for (const type of ["click", "auxclick", "submit"]) addEventListener(type, hear, options);
  (window as Ends).trackletClicks?.();
  (window as Ends).trackletClicks = () => controller.abort();
  return (window as Ends).trackletClicks!;
};
