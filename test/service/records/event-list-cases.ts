import { beforeAll, expect, it } from "vitest";
import { expectRefusal } from "../support/refusal.js";
import type { RunningService } from "../support/running-service.js";

/** `GET /v2/events`. */
export const eventListCases = (running: () => RunningService): void => {
  let service: RunningService;
  beforeAll(() => {
    service = running();
  });

  it("is of a contact, of a name, the latest first where that is asked for, and leads on to what is settled", async () => {
    const contact_uid = "contact-of-list";
    for (const event_uid of ["a", "b", "a", "a"]) await service.post({ contact_uid, event_uid });
    const ask = async (query: string) => (await service.get(`/v2/events?contact_uid=${contact_uid}&${query}`)).json();
    const list = async (query: string) => (await ask(query)).data as { id: string }[];
    const all = await list("");
    expect(all).toHaveLength(4);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort());
    expect(await list("event_uid=a")).toEqual([all[0], all[2], all[3]]);
    expect(await list("order=desc&limit=2")).toEqual([all[3], all[2]]);
    const { next } = (await ask("order=desc")).pagination;
    expect(next).toMatch(/order=asc/);
    expect((await (await service.get(next.slice(service.url.length))).json()).data).toEqual([]);
  });

  it.each(["after=-1", "after=7", "limit=0", "limit=10001", "limit=x", "order=up", "order="])(
    "answers 400 to %s",
    async (query) => {
      await expectRefusal(await service.get(`/v2/events?${query}`), 400, new RegExp(query.split("=")[0]!));
    },
  );

  it("is not of the latest first behind a place", async () => {
    const place = `order=desc&after=${crypto.randomUUID()}`;
    await expectRefusal(await service.get(`/v2/events?${place}`), 400, /^order must be asc with after/);
  });

  it("ends before a time that no id can hold", async () => {
    const answer = await service.get(`/v2/events?since=${2 ** 48}`);
    expect(await answer.json()).toMatchObject({ data: [] });
  });
};
