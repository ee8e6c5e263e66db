/* Loaded before a process's own modules: its clock is behind by the milliseconds that a file holds. */
import { readFileSync } from "node:fs";

const now = Date.now;
Date.now = () => now() - Number(readFileSync(process.env.CLOCK_BEHIND, "utf8"));
