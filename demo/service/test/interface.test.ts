import { afterAll, beforeAll, describe } from "vitest";
import { answerCases } from "./answers-cases.js";
import { eventCases } from "./events-cases.js";
import { openApiCases } from "./openapi-cases.js";
import { privateCases } from "./private-cases.js";
import { recordCases } from "./records-cases.js";
import { type RunningService, startService } from "./running-service.js";

// One service for all: its first start makes a database, which takes seconds.
let service: RunningService;
beforeAll(async () => {
  service = await startService({
    maxEventBytes: 20_000,
    requestTimeoutMs: 3_000,
  });
});
afterAll(() => service.stop());

describe("records", () => recordCases(() => service));
describe("every answer", () => answerCases(() => service));
describe("a service for its own machine", () => privateCases(() => service));
describe("the OpenAPI document", () => openApiCases(() => service));
describe("events", () => eventCases(() => service));
