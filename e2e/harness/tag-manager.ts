import type { Page } from "playwright/test";
import { type Grants, runTemplate } from "../../test/support/tag-manager.js";

/**
 * Puts a Custom HTML tag into the page as Google Tag Manager does: long after the page has loaded, its scripts made anew,
 * with nothing of their attributes but the address.
 */
export const fireHtml = (page: Page, html: string): Promise<void> =>
  page.evaluate((markup) => {
    const template = document.createElement("template");
    template.innerHTML = markup;
    for (const { src, text } of template.content.querySelectorAll("script")) {
      const script = document.createElement("script");
      if (src) script.src = src;
      else script.text = text;
      document.body.append(script);
    }
  }, html);

/** Fires a tag that is made of a template; resolves when the tag has said that it succeeded. */
export const fireTemplate = (
  page: Page,
  code: string,
  grants: Grants,
  data: Record<string, unknown>,
): Promise<unknown> =>
  page.evaluate(
    ([run, body, granted, fields]) =>
      new Promise<void>((gtmOnSuccess, gtmOnFailure) => {
        const load = (src: string, onload: () => void, onerror: () => void) =>
          document.head.append(Object.assign(document.createElement("script"), { async: true, src, onload, onerror }));
        const fire = new Function(`return (${run})`)() as typeof runTemplate;
        fire(body, granted, { ...fields, gtmOnSuccess, gtmOnFailure }, window as never, load);
      }),
    [runTemplate.toString(), code, grants, data] as const,
  );
