/** Writes the examples anew, when the apps that are driven have changed. */
import { writeFile } from "node:fs/promises";
import { PAGES, readPage } from "../support/readme.js";
import { include } from "./examples.js";

for (const page of PAGES) await writeFile(page, await include(await readPage(page)));
