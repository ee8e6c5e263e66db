/** Writes the API reports anew, when the promise has changed on purpose. */
import { writeFile } from "node:fs/promises";
import { ENTRIES, report, reportFile } from "./api.js";

for (const entry of ENTRIES) await writeFile(reportFile(entry), await report(entry));
