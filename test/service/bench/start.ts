import { spawn } from "node:child_process";
import { once } from "node:events";
import { ROOT } from "../../support/launch.js";
import type { Place } from "../support/places.js";
import { until } from "../support/running-service.js";

/** Seconds from `npm run service` to the line that says it is ready. */
const start = async (place: Place): Promise<number> => {
  const began = performance.now();
  // A group of its own: a signal for npm alone would leave the service behind.
  const npm = spawn("npm", ["run", "--silent", "service"], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      TRACKLET_SERVICE_PORT: "0",
      ...(place.databaseUrl === undefined ? { TRACKLET_DATA: place.dataFolder } : { DATABASE_URL: place.databaseUrl }),
    },
  });
  let said = "";
  npm.stdout.on("data", (text) => (said += text));
  const closed = once(npm, "close");
  await until(() => {
    if (npm.exitCode !== null) throw new Error("the service has ended");
    return /ready at/.test(said) || undefined;
  });
  const seconds = (performance.now() - began) / 1_000;
  process.kill(-npm.pid!, "SIGTERM");
  await closed;
  return seconds;
};

/** How long the first start takes, which makes the tables and the demo's records, and those after it. */
export const startUp = async (engine: string, place: Place): Promise<void> => {
  const [first, ...more] = [await start(place), await start(place), await start(place), await start(place)];
  const rounded = more.sort((a, b) => a - b).map((seconds) => seconds.toFixed(1));
  console.log(`\n${engine}: the first start takes ${first!.toFixed(1)} s, later ones ${rounded.join(", ")} s`);
};
