import { afterAll, beforeAll, describe } from "vitest";
import { answerCases } from "./http/answers-cases.js";
import { demoCases } from "./http/demo-cases.js";
import { openApiCases } from "./http/openapi-cases.js";
import { eventCases } from "./ingest/events-cases.js";
import { eventListCases } from "./records/event-list-cases.js";
import { recordCases } from "./records/records-cases.js";
import { type RunningService, startService } from "./support/running-service.js";

// One service for all: its first start makes a database, which takes seconds.
let service: RunningService;
beforeAll(async () => {
  service = await startService({
    demo: "on",
    hasRecords: true,
    maxEventBytes: 20_000,
    requestTimeoutMs: 3_000,
  });
});
afterAll(() => service.stop());

describe("records", () => recordCases(() => service));
describe("every answer", () => answerCases(() => service));
describe("a service for trying out", () => demoCases(() => service));
describe("the OpenAPI document", () => openApiCases(() => service));
describe("events", () => eventCases(() => service));
describe("a list of events", () => eventListCases(() => service));
