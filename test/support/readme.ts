import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

const inDocs = (readdirSync(new URL("docs", ROOT), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".md"))
  .sort();

/** What a reader finds: the README, every page in `docs`, and the documents for whoever carries the project on. */
export const PAGES = [
  "README.md",
  ...inDocs.map((name) => `docs/${name}`),
  "src/service/README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "RELEASING.md",
  "SECURITY.md",
];

export const readPage = (page: string): Promise<string> => readFile(new URL(page, ROOT), "utf8");

interface Block {
  page: string;
  /** Heading of the section, of any level but the first. */
  section: string;
  language: string;
  code: string;
}

/** All code blocks of a page, as a reader copies them. */
export const blocksOf = async (page: string): Promise<Block[]> => {
  const text = await readPage(page);
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language, 2: code }) => ({
    page,
    section: [...text.slice(0, index).matchAll(/^##+ (.*)$/gm)].at(-1)?.[1] ?? "",
    language: language!,
    code: code!,
  }));
};

/**
 * The code blocks of one language in a section of the README or of a page in `docs`.
 *
 * @throws Error when no page has such a section with such a block
 */
export const readmeBlocks = async (section: string, language: string, page?: string): Promise<string[]> => {
  const blocks = (
    await Promise.all((page ? [page] : PAGES.filter((name) => name.startsWith("docs/"))).map(blocksOf))
  ).flat();
  const found = blocks.filter((block) => block.section === section && block.language === language);
  if (found.length === 0) throw new Error(`no page has a block of ${language} in a section "${section}"`);
  return found.map(({ code }) => code);
};
