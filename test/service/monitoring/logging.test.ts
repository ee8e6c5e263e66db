import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { runningUrl } from "../../../src/service/database/embedded/server.js";
import { runAt } from "../support/database.js";
import { usePlace } from "../support/fixtures.js";
import { ask } from "../support/service.js";
import { spawnService } from "../support/service-process.js";
import { linesOf } from "../support/told-command.js";

const TOKENS = { TRACKLET_API_TOKEN: "secret-api-token", TRACKLET_ACCESS_TOKEN: "secret-access-token" };

const place = usePlace();

it("writes one JSON object a line, with requests where it is asked to, and never a token, nor what a body says", async () => {
  const service = spawnService({ ...TOKENS, TRACKLET_DATA: place.dataFolder, TRACKLET_LOG_LEVEL: "trace" });
  const url = await service.ready();
  const event = "/v1/track/event";
  const send = (body: string, query = `?api_token=${TOKENS.TRACKLET_API_TOKEN}`) =>
    fetch(url + event + query, { method: "POST", headers: { origin: "https://shop.example" }, body });
  for (let number = 0; number < 3; number += 1) await send("api_token=secret-in-body&contact_uid=anna");
  await send('{"contact_uid":"anna","event_uid":"opened","params":["not to be told"]}');
  await send('{"contact_uid":"anna","event_uid":"told by nobody","told params":{},"Params":{}}');
  const several = await fetch(`${url}${event}s?api_token=${TOKENS.TRACKLET_API_TOKEN}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: 'told\n{"contact_uid":"told\n{"contact_uid":"anna",told}',
  });
  const answers = await several.text();
  expect(answers).toMatch(/the event must be JSON: it ends too early|the event must be JSON: it is not at position/);
  expect(answers).not.toMatch(/told|anna/);
  await send("{}", "?api_token=secret-guess");
  await ask(`${url}${event}?api_token=${TOKENS.TRACKLET_API_TOKEN}`, {}, "POST");
  await ask(url + event, { authorization: `Basic ${btoa(`${TOKENS.TRACKLET_API_TOKEN}:`)}` }, "POST");
  await ask(`${url}/v2/users?access_token=secret-query`, { authorization: `Bearer ${TOKENS.TRACKLET_ACCESS_TOKEN}` });
  await ask(`${url}/%zz?api_token=secret-bad-url`, {});
  await ask(`${url}/nowhere?api_token=secret-nowhere`, {});
  await ask(`${url}/v2/users/?api_token=secret-slash`, {}, "DELETE");
  // An error of the database repeats the row in its details.
  const refusing = "ALTER TABLE events ADD CONSTRAINT ours CHECK (event_uid <> 'told to nobody')";
  await runAt(runningUrl(place.dataFolder)!, refusing);
  expect((await send('{"contact_uid":"anna","event_uid":"told to nobody"}')).status).toBe(500);
  // A body that is broken off says nothing of the database.
  const broken = connect(Number(new URL(url).port), "127.0.0.1");
  const head = `POST ${event}?api_token=${TOKENS.TRACKLET_API_TOKEN} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`;
  broken.write(head, () => setImmediate(() => broken.resetAndDestroy()));
  await once(broken, "close");
  await ask(`${url}/v2/users`, {});
  const { code, stdout, stderr } = await service.stop("SIGTERM");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(linesOf(stdout)).toContainEqual(
    expect.objectContaining({ level: "info", req: { method: "GET", path: "/v2/users", from: "127.0.0.1" } }),
  );
  expect(linesOf(stdout)).toContainEqual(expect.objectContaining({ res: { statusCode: 200 } }));
  const refused = { code: "23514", message: expect.stringMatching(/^the database refuses it: .+ ours$/) };
  expect(linesOf(stdout)).toContainEqual(
    expect.objectContaining({ level: "error", err: expect.objectContaining(refused) }),
  );
  // A line a minute tells of the refusals of a reason, and the first comes at once.
  expect(linesOf(stdout).filter(({ reason }) => reason !== undefined)).toEqual(
    [
      { reason: "body", workspace: "default", example: { error: "the body must be JSON", from: "127.0.0.1" } },
      { reason: "token", workspace: "", example: { error: expect.stringContaining("wrong") } },
      { reason: "broken", workspace: "default", example: { error: "the body was broken off" } },
    ].map((line) =>
      expect.objectContaining({
        ...line,
        level: "warn",
        refused: 1,
        msg: `events are refused: ${line.reason}`,
        example: expect.objectContaining(line.example),
      }),
    ),
  );
  expect(stdout).not.toMatch(/secret|told|anna|opened/);
  expect(stdout).not.toMatch(/database is away/);
  expect(stdout).not.toContain(btoa(`${TOKENS.TRACKLET_API_TOKEN}:`));
});
