import { expect, it } from "vitest";
import { runAt } from "../support/database.js";
import { startPostgres } from "../support/postgres.js";
import { until } from "../support/service.js";
import { metricsOf, postAsDemo, readAsDemo, spawnService } from "../support/service-process.js";

it("is ready after less than three seconds of work, and answers 503 with Retry-After while its database is gone or takes its user no more", async () => {
  const database = await startPostgres();
  await runAt(database.url, "CREATE ROLE app SUPERUSER LOGIN");
  const service = spawnService({ DATABASE_URL: database.url.replace("test@", "app@") });
  const url = await service.ready();
  // Seconds of the processor: those on the clock are the machine's as well.
  expect(Number(/^process_cpu_seconds_total (\S+)$/m.exec(await metricsOf(url))?.[1])).toBeLessThan(3);
  const isBack = () => until(async () => (await postAsDemo(url, "back")).status === 200);
  await database.crash();
  for (const ask of [() => postAsDemo(url, "gone"), () => readAsDemo(`${url}/v2/events`)]) {
    const answer = await ask();
    const error = "the service cannot store or read now, try again later";
    expect([answer.status, answer.headers.get("retry-after"), await answer.json()]).toEqual([503, "2", { error }]);
  }
  expect(await metricsOf(url)).toContain('tracklet_events_refused_total{reason="away",workspace="default"} 1\n');
  for (const path of ["healthz", "readyz"]) expect((await fetch(`${url}/${path}`)).ok).toBe(path === "healthz");
  await database.resume();
  await isBack();

  // As a password that was changed under way: each new connection is refused, which is said once a minute.
  await runAt(database.url, "ALTER ROLE app NOLOGIN");
  await runAt(database.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
  const away = () => service.stdout().match(/.*"fault":"password".*/g) ?? [];
  const refused = async () => expect((await postAsDemo(url, "refused")).status).toBe(503);
  await until(() => refused().then(() => away().length > 0));
  for (let number = 0; number < 20; number += 1) await refused();
  expect(away()).toEqual([expect.stringContaining("it does not take the user and the password of DATABASE_URL")]);
  await runAt(database.url, "ALTER ROLE app LOGIN");
  await isBack();
  await service.stop("SIGTERM");
  await database.stop();
});
