/** Examples of the pages that are files of the apps: a block of code behind `<!-- include: file -->` holds that file. */
import { readPage } from "../support/readme.js";

const INCLUDED = /(<!-- include: (\S+) -->\n\n```\w+\n(?:\/\/ \S+\n)?)[^`]*(?=```)/g;

/** The files that a page includes. */
export const includedFiles = (page: string): string[] => [...page.matchAll(INCLUDED)].map(([, , file]) => file!);

/** The page with each block as its file is now. The block's first line says where the reader puts it. */
export const include = async (page: string): Promise<string> => {
  const files = new Map<string, string>();
  for (const file of includedFiles(page)) files.set(file, await readPage(file));
  return page.replace(INCLUDED, (_, before: string, file: string) => before + files.get(file));
};
