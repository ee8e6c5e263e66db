import pg from "pg";
import { expect, it } from "vitest";
import { startPostgres } from "../support/postgres-server.js";
import { until } from "../support/running-service.js";
import { metricsOf, postAsDemo, readAsDemo, spawnService } from "../support/service-process.js";

it("is ready after less than three seconds of work, and answers 503 with Retry-After while its database is gone", async () => {
  const database = await startPostgres();
  const service = spawnService({ DATABASE_URL: database.url });
  const url = await service.ready();
  // Seconds of the processor: those on the clock are the machine's as well.
  expect(Number(/^process_cpu_seconds_total (\S+)$/m.exec(await metricsOf(url))?.[1])).toBeLessThan(3);
  await database.crash();
  for (const ask of [() => postAsDemo(url, "gone"), () => readAsDemo(`${url}/v2/events`)]) {
    const answer = await ask();
    const error = "the service cannot store or read now, try again later";
    expect([answer.status, answer.headers.get("retry-after"), await answer.json()]).toEqual([503, "2", { error }]);
  }
  await database.resume();
  await until(async () => (await postAsDemo(url, "gone")).status === 200 || undefined);
  await service.stop("SIGTERM");
  await database.stop();
});

it("answers 503 once the database takes its user no more, and says so once a minute", async () => {
  const database = await startPostgres();
  const admin = new pg.Client(database.url);
  await admin.connect();
  await admin.query("CREATE ROLE app SUPERUSER LOGIN");
  const url = new URL(database.url);
  url.username = "app";
  const service = spawnService({ DATABASE_URL: url.href });
  const at = await service.ready();
  // As a password that was changed under way: each new connection is refused.
  await admin.query("ALTER ROLE app NOLOGIN");
  await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
  const away = () =>
    service
      .stdout()
      .split("\n")
      .filter((line) => line.includes('"fault":"password"'));
  await until(async () => {
    expect((await postAsDemo(at, "refused")).status).toBe(503);
    return away().length > 0 || undefined;
  });
  for (let number = 0; number < 20; number += 1) expect((await postAsDemo(at, "refused")).status).toBe(503);
  expect(away()).toEqual([expect.stringContaining("it does not take the user and the password of DATABASE_URL")]);
  await admin.query("ALTER ROLE app LOGIN");
  await until(async () => (await postAsDemo(at, "taken")).status === 200 || undefined);
  await service.stop("SIGTERM");
  await admin.end();
  await database.stop();
});
