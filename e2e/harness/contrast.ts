import type { Locator } from "playwright/test";

/**
 * Texts within an element whose contrast with what lies behind them is under 4.5:1, or 3:1 where they are large (WCAG 2.2,
 * 1.4.3).
 */
export const faintTextsWithin = (within: Locator): Promise<string[]> =>
  within.evaluate((top) => {
    const channels = (colour: string) => colour.match(/[\d.]+/g)!.map(Number);
    const luminance = (colour: string): number => {
      const [r, g, b] = channels(colour).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      }) as [number, number, number];
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element: Element | null): string => {
      if (element === null) return "rgb(255, 255, 255)";
      const { backgroundColor } = getComputedStyle(element);
      return channels(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
    };
    const found: string[] = [];
    let seen = 0;
    for (const element of top.querySelectorAll("*")) {
      const text = [...element.childNodes].map((node) => (node instanceof Text ? node.data.trim() : "")).join("");
      if (text === "" || !element.checkVisibility() || element.matches(":disabled, :disabled *, script")) continue;
      seen++;
      const style = getComputedStyle(element);
      const [dark, light] = [luminance(style.color), luminance(behind(element))].sort((a, b) => a - b) as [
        number,
        number,
      ];
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < (isLarge ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
    }
    return seen > 0 ? found : ["there is no text"];
  });
