import type { Locator } from "playwright/test";

/** Texts within an element whose contrast with what lies behind them is under 4.5:1 (WCAG 2.2, 1.4.3). */
export const faintTextsWithin = (within: Locator): Promise<string[]> =>
  within.evaluate((top) => {
    const channels = (colour: string) => colour.match(/[\d.]+/g)!.map(Number);
    const luminance = (colour: string): number => {
      const linear = channels(colour)
        .slice(0, 3)
        .map((value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
    };
    const behind = (element: Element): string => {
      const { backgroundColor } = getComputedStyle(element);
      return channels(backgroundColor)[3] === 0 && element !== top ? behind(element.parentElement!) : backgroundColor;
    };
    const found: string[] = [];
    let seen = 0;
    for (const element of top.querySelectorAll("*")) {
      const text = [...element.childNodes].map((node) => (node instanceof Text ? node.data.trim() : "")).join("");
      if (text === "") continue;
      seen++;
      const [dark, light] = [luminance(getComputedStyle(element).color), luminance(behind(element))].toSorted(
        (a, b) => a - b,
      );
      const ratio = (light! + 0.05) / (dark! + 0.05);
      if (ratio < 4.5) found.push(`${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
    }
    return seen > 0 ? found : ["there is no text"];
  });
