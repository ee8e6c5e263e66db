import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_WORKSPACE, recordId } from "../../../src/service/base/exact-text.js";
import { isLoopback } from "../../../src/service/base/loopback.js";
import { readState } from "../../../src/service/commands/import.js";
import { addressesOf } from "../../../src/service/config/options.js";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { createEventStore } from "../../../src/service/ingest/store/event-store.js";
import { CLUSTER, type Cluster, openCluster, runAt } from "../support/database.js";
import { openProxy, type TcpProxy } from "../support/postgres.js";
import { API_TOKEN, basic, type RunningService, startService, until } from "../support/service.js";

/** Nodes are given other addresses, which end on this machine. */
const isHere = CLUSTER !== undefined && addressesOf(CLUSTER).every((url) => isLoopback(new URL(url).hostname));

describe.runIf(isHere)("a cluster with several addresses, of this machine", () => {
  let proxies: TcpProxy[];
  let cluster: Cluster;
  let database: Database;
  let service: RunningService;
  beforeAll(async () => {
    proxies = await Promise.all(addressesOf(CLUSTER!).map((url) => openProxy(new URL(url).host)));
    // All know the workers by these addresses, so that a node is gone where its proxy is closed.
    cluster = await openCluster((host, at) => (at === 0 ? host : proxies[at]!.host));
    const [coordinator, ...workers] = cluster.hosts as [string, ...string[]];
    await expect(openDatabase({ databaseUrl: cluster.url(workers[0]!), dataFolder: "" })).rejects.toThrow(
      "name the coordinator among them",
    );
    database = await openDatabase({ databaseUrl: cluster.url(...workers, coordinator), dataFolder: "" });
    await until(() => database.shardOf!(randomUUID()));
  }, 60_000);
  afterAll(async () => {
    await service?.stop();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await cluster?.leave();
  });

  let count = 0;
  /** A uid that was not used before, whose record lies on a node. */
  const uidAt = (node: number, kind: "account" | "contact" = "contact"): string => {
    for (;;) {
      const uid = `${kind} ${count++}`;
      if (database.shardOf!(recordId(kind, uid))!.node === node) return uid;
    }
  };
  const nodes = () => [...new Set(Array.from({ length: 500 }, () => database.shardOf!(randomUUID())!.node))].sort();
  const send = (contact_uid: string, params: Record<string, unknown> = {}) =>
    service.post({ contact_uid, event_uid: "sent", params }, basic(`${API_TOKEN}:`), "");
  const status = async (...sent: Parameters<typeof send>) => (await send(...sent)).status;

  it("stores events, contacts and memberships by no transaction of several nodes", async () => {
    // Those that write on two nodes are written down, and removed by a process of the cluster a while later.
    const distributed = () =>
      database.query<{ result: string }>(
        "SELECT result FROM run_command_on_all_nodes('SELECT array_agg(gid) FROM pg_dist_transaction')",
      );
    const before = String((await distributed()).map(({ result }) => result));
    // By itself: what a service does beside it is of several nodes.
    const store = createEventStore(database, await readState(database));
    const told = { workspace: DEFAULT_WORKSPACE, eventUid: "sent", params: "{}", receivedAt: Date.now() };
    await store.add(
      Array.from({ length: 300 }, (_, at) => ({
        ...told,
        contactUid: uidAt(nodes()[at % 3]!),
        accountUid: `account ${at}`,
        stamp: String(at),
        occurredAt: undefined,
      })),
    );
    const after = (await distributed()).flatMap(({ result }) => result?.replace(/[{}]/g, "").split(",") ?? []);
    expect(after.filter((gid) => gid && !before.includes(gid))).toEqual([]);
    for (const table of ["contacts", "account_contacts"])
      expect(await database.query(`SELECT count(*)::int AS count FROM ${table}`)).toEqual([{ count: 300 }]);
  });

  it("refuses what a node that is gone would hold, stores the rest, and goes on when it is back", async () => {
    service = await startService({ database });
    const [gone, ...others] = nodes() as [number, number, number];
    const contacts = nodes().map((node) => [node, uidAt(node)] as const);
    let stopped = false;
    const sent: string[] = [];
    /** Sends one event after another, each until it is answered with 200. */
    const clients = contacts.map(async ([, contact]) => {
      for (let number = 0; !stopped; number += 1) {
        const stamp = `${contact} ${number}`;
        sent.push(stamp);
        await until(async () => (await status(contact, { event_id: stamp })) === 200);
      }
    });
    const isGone = async (uid: string, params = {}) => (await status(uid, params)) === 503;
    for (let round = 0; round < 2; round += 1) {
      await proxies[gone]!.close();
      await until(() => isGone(uidAt(gone)));
      // Connections that were open may fail once more.
      for (const node of others) await until(async () => !(await isGone(uidAt(node))));
      const together = [
        status(uidAt(gone)),
        status(uidAt(others[0]!)),
        status(uidAt(others[0]!), { account_uid: uidAt(gone, "account") }),
        status(uidAt(others[1]!), { account_uid: uidAt(others[0]!, "account") }),
      ];
      expect(await Promise.all(together)).toEqual([503, 200, 503, 200]);
      expect((await service.get("/readyz")).status).toBe(200);
      await proxies[gone]!.open();
      await until(async () => !(await isGone(uidAt(gone))));
    }
    stopped = true;
    await Promise.all(clients);
    const stored: unknown[] = [];
    for (const [, contact] of contacts)
      for (const { params } of (await service.events(contact)).rows) stored.push(params.event_id);
    expect(stored.sort()).toEqual(sent.sort());
  });

  it("writes by another way right after a shard was moved", async () => {
    const [from, to] = nodes() as [number, number];
    const contact = uidAt(from);
    expect(await status(contact)).toBe(200);
    const { id } = database.shardOf!(recordId("contact", contact))!;
    const place = (node: number) => {
      const { hostname, port } = new URL(`x://${cluster.hosts[node]}`);
      return `'${hostname}', ${port}`;
    };
    await runAt(
      cluster.url(cluster.hosts[0]!),
      `SELECT citus_move_shard_placement(${id}, ${place(from)}, ${place(to)}, shard_transfer_mode => 'block_writes')`,
    );
    expect(await status(contact)).toBe(200);
    await until(() => database.shardOf!(recordId("contact", contact))!.node === to);
    expect(await status(contact)).toBe(200);
    expect((await service.events(contact)).rows).toHaveLength(3);
  });
});
