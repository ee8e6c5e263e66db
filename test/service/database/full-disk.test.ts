import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { until } from "../support/service.js";
import { postAsDemo, readAsDemo, spawnService } from "../support/service-process.js";
import { cannotMount, smallDisk } from "../support/small-disk.js";
import { runTold } from "../support/told-command.js";

const stored = async (url: string): Promise<string[]> => {
  const { data } = await (await readAsDemo(`${url}/v2/events?limit=10000`)).json();
  return data.map(({ event_uid }: { event_uid: string }) => event_uid);
};

it.skipIf(cannotMount)(
  "a full disk is answered with 503 and told before the log has no room; it goes on when there is room",
  async () => {
    const disk = smallDisk(256);
    const service = spawnService({ TRACKLET_DATA: join(disk.folder, "data") });
    const url = await service.ready();
    const acknowledged: string[] = [];
    const send = async (name: string, text?: string) => {
      const answer = await postAsDemo(url, name, text === undefined ? {} : { contact_uid: "many", params: { text } });
      if (answer.status === 200) acknowledged.push(name);
      else expect(answer.status).toBe(503);
      return answer.status;
    };
    expect(await send("before")).toBe(200);
    disk.fill(76 * 2 ** 20);
    let number = 0;
    await until(async () => (await send(`full-${number++}`, randomBytes(100_000).toString("hex"))) === 503);
    // What is stored is read while nothing can be stored, and who deletes makes room.
    expect((await stored(url))[0]).toBe("before");
    await runTold({ dataFolder: join(disk.folder, "data") }, "erase", "many");
    acknowledged.splice(1);
    await until(async () => (await send(`after-${number++}`)) === 200);
    expect(await stored(url)).toEqual(acknowledged);
    const { code, stdout } = await service.stop("SIGTERM");
    expect(code).toBe(0);
    expect(stdout).toMatch(/"fault":"disk","reason":"the disk of \S+ is full: of the 64 MB [^"]+ MB are left"/);
    disk.remove();
  },
);
