import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";

/** Milliseconds between two looks at whether a stopped service answers again. */
const WATCH_MS = 1_000;

/** Does anything accept connections there? */
export const answers = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    const done = (up: boolean) => {
      socket.destroy();
      resolve(up);
    };
    socket.setTimeout(WATCH_MS, () => done(false));
    socket.once("connect", () => done(true)).once("error", () => done(false));
  });

/** Says each time that the service stops or answers again, whoever starts it then; returns the remover. */
export const watchService = (service: ChildProcess, address: string, restart: string): (() => void) => {
  let up = true;
  let timer: NodeJS.Timeout | undefined;
  const gone = (how: string) =>
    console.log(`The service stopped${how}. Events now wait in the browser. Start it again with: ${restart}`);
  const look = async () => {
    const before = up;
    up = await answers(address);
    if (timer === undefined) return;
    if (up && !before) console.log(`The service answers again at ${address}. What waited is on its way.`);
    if (!up && before) gone("");
    timer = setTimeout(look, WATCH_MS);
  };
  const onExit = (code: number | null, signal: NodeJS.Signals | null) => {
    up = false;
    gone(` (${signal ?? `exit code ${code}`})`);
    timer = setTimeout(look, WATCH_MS);
  };
  service.once("exit", onExit);
  return () => {
    service.off("exit", onExit);
    clearTimeout(timer);
    timer = undefined;
  };
};
