/** `npx tracklet conform`: asks a service of one's own all that docs/endpoint.md says. */
import { parseArgs } from "node:util";
import { type Asked, createAsk } from "./ask.js";
import { CASES, runCases } from "./cases.js";

const HELP = `tracklet conform ADDRESS --token TOKEN

Asks a service what docs/endpoint.md says, in ${CASES.length} cases, and ends with 1 where one fails.

  ADDRESS         the script's track-url, such as https://track.example.com
  --token TOKEN   the API token of a workspace for tests: the events stay there
  --path PATH     where the event endpoint is; /v1/track/event unless set
  --origin URL    the page that sends; https://shop.example unless set`;

const WIDTH = Math.max(...CASES.map(({ name }) => name.length));

/** The words of the command line; the help where it is asked for. @throws Error that says what is wrong */
const read = (args: string[]): Asked | string => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      token: { type: "string" },
      path: { type: "string", default: "/v1/track/event" },
      origin: { type: "string", default: "https://shop.example" },
      help: { type: "boolean" },
    },
  });
  const [verb, address = "", ...more] = positionals;
  if (values.help || verb === "help") return HELP;
  if (verb !== "conform") throw new Error(`expected "conform", found ${verb ? `"${verb}"` : "nothing"}\n\n${HELP}`);
  if (more.length > 0 || !URL.canParse(address))
    throw new Error("ADDRESS: expected one, such as https://track.example.com");
  if (!values.token) throw new Error("--token: expected the API token of a workspace for tests; the events stay there");
  return { trackUrl: address, apiToken: values.token, eventPath: values.path, origin: values.origin };
};

/** Prints a line a case. @returns how many failed */
const check = async (asked: Asked): Promise<number> => {
  console.log(
    `${asked.trackUrl} is asked, and stores some 60 events named tracklet_conform. Let the token be one for tests.\n`,
  );
  const counts = { passed: 0, failed: 0, warned: 0, "left out": 0 };
  for await (const { name, what, wrong, isAdvice, isLeftOut } of runCases(createAsk(asked))) {
    const outcome = isLeftOut ? "left out" : !wrong ? "passed" : isAdvice ? "warned" : "failed";
    counts[outcome]++;
    const mark = { "left out": "–   ", passed: "ok  ", warned: "warn", failed: "FAIL" }[outcome];
    console.log(`${mark}  ${name.padEnd(WIDTH)}  ${what}${wrong ? `\n      ${"".padEnd(WIDTH)}  ${wrong}` : ""}`);
  }
  const parts = Object.entries(counts).map(([word, count]) => `${count} ${word}`);
  console.log(
    `\n${parts.join(", ")}${counts["left out"] ? " (the service offers no several events in one request)" : ""}`,
  );
  return counts.failed;
};

const asked = read(process.argv.slice(2));
try {
  if (typeof asked === "string") console.log(asked);
  else process.exitCode = (await check(asked)) > 0 ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
