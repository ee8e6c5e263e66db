import { readFile } from "node:fs/promises";

const README = new URL("../../README.md", import.meta.url);

/**
 * The code blocks of one language in a section of the README, as a reader copies them.
 *
 * @throws Error when the section is missing, or has none
 */
export const readmeBlocks = async (title: string, language: string): Promise<string[]> => {
  const section = (await readFile(README, "utf8")).split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`README.md has no section "${title}"`);
  const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, code]) => code!);
  if (blocks.length === 0) throw new Error(`the section "${title}" has no block of ${language}`);
  return blocks;
};
