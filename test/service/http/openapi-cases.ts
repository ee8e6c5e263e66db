import { beforeAll, expect, it } from "vitest";
import type { RunningService } from "../support/running-service.js";

/** The OpenAPI document, and the page that shows it. */
export const openApiCases = (running: () => RunningService): void => {
  let service: RunningService;
  beforeAll(() => {
    service = running();
  });

  it("is shown on a page that is in no frame and loads nothing from elsewhere", async () => {
    const answer = await service.get("/docs/", {});
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
      "content-security-policy": expect.stringMatching(/^default-src 'none'; .*script-src 'self';/),
    });
  });

  it("describes the operations with the schemas that check them", async () => {
    const document = await (await service.get("/openapi.json")).json();
    expect(document.openapi).toMatch(/^3\.1\./);
    const operations = Object.entries<Record<string, { security: object[]; responses: Record<string, object> }>>(
      document.paths,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, operation })),
    );
    expect(operations.map(({ route }) => route).sort()).toEqual([
      "delete /v2/contacts",
      "delete /v2/numbers/accounts/{id}/left-out",
      "delete /v2/numbers/contacts/{id}/left-out",
      "get /v2/accounts",
      "get /v2/accounts/{id}",
      "get /v2/contacts",
      "get /v2/contacts/data",
      "get /v2/contacts/{id}",
      "get /v2/events",
      "get /v2/numbers",
      "get /v2/numbers/accounts",
      "get /v2/numbers/accounts/{id}",
      "get /v2/numbers/accounts/{id}/events",
      "get /v2/numbers/contacts/{id}",
      "get /v2/numbers/contacts/{id}/events",
      "get /v2/numbers/left-out",
      "get /v2/numbers/returning",
      "get /v2/users",
      "post /v1/track/event",
      "post /v1/track/events",
      "post /v2/contacts/anonymise",
      "post /v2/contacts/erase",
      "put /v2/accounts",
      "put /v2/contacts",
      "put /v2/numbers/accounts/{id}/left-out",
      "put /v2/numbers/contacts/{id}/left-out",
    ]);
    for (const { route, operation } of operations) {
      expect(operation.security).toEqual(
        route.startsWith("post /v1/") ? [{ apiToken: [] }, { basic: [] }] : [{ bearer: [] }],
      );
      for (const [status, response] of Object.entries(operation.responses))
        if (Number(status) >= 400)
          expect(response).toMatchObject({
            content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
          });
    }
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: "http", scheme: "bearer" },
      basic: { type: "http", scheme: "basic" },
      apiToken: { type: "apiKey", in: "query", name: "api_token" },
    });
    expect(document.components.schemas.Event.required).toEqual(["contact_uid", "event_uid"]);
    const parameters = document.paths["/v2/users"].get.parameters as {
      name: string;
      required?: boolean;
      schema: object;
    }[];
    expect(parameters.map(({ name }) => name)).toEqual(["offset", "limit", "order", "sort"]);
    expect(parameters.some(({ required }) => required)).toBe(false);
    expect(parameters[1]!.schema).toMatchObject({ type: "integer", default: 25 });
  });

  it("has a page for people", async () => {
    const page = await service.get("/docs", {});
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(await page.text()).toContain("swagger-ui");
  });
};
