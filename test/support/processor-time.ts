import { readdirSync, readFileSync } from "node:fs";

/** Ticks of the processor's clock a second, on every Linux that there is. */
const TICKS = 100;

/** Seconds that a process has computed, with those that it has started; 0 where the system has no `/proc`. */
export const cpuSeconds = (pid: number): number => {
  try {
    const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
    // Behind the name in brackets the 12th to 15th field are user and system time, its own and of children that have ended.
    const fields = read("stat").split(") ")[1]!.split(" ");
    // Each thread has those that it has started.
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      read(`task/${thread}/children`).split(" ").filter(Boolean),
    );
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), ticks / TICKS);
  } catch {
    return 0;
  }
};
