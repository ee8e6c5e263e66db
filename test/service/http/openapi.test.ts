import { expect, it } from "vitest";
import { useService } from "../support/fixtures.js";

/* The OpenAPI document, and the page that shows it. That answers have the form that it says is a property of the model. */

const service = useService();

it("is shown on a page that is in no frame and loads nothing from elsewhere", async () => {
  const answer = await service.get("/docs/", {});
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": expect.stringContaining("text/html"),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; .*script-src 'self';/),
  });
  expect(await (await service.get("/docs", {})).text()).toContain("swagger-ui");
});

/** Each path, and the methods that it has. */
const PATHS = {
  "/v1/track/event": "post",
  "/v1/track/events": "post",
  "/v2/accounts": "get put",
  "/v2/accounts/{id}": "delete get",
  "/v2/contacts": "delete get put",
  "/v2/contacts/{id}": "get",
  "/v2/contacts/anonymise": "post",
  "/v2/contacts/data": "get",
  "/v2/contacts/erase": "post",
  "/v2/events": "get",
  "/v2/users": "get",
  "/v2/numbers": "get",
  "/v2/numbers/left-out": "get",
  "/v2/numbers/returning": "get",
  "/v2/numbers/accounts": "get",
  "/v2/numbers/accounts/{id}": "get",
  "/v2/numbers/accounts/{id}/events": "get",
  "/v2/numbers/accounts/{id}/left-out": "delete put",
  "/v2/numbers/contacts/{id}": "get",
  "/v2/numbers/contacts/{id}/events": "get",
  "/v2/numbers/contacts": "get",
  "/v2/numbers/time-zone": "put",
  "/v2/numbers/steps": "get",
  "/v2/numbers/questions": "get",
  "/v2/numbers/questions/{name}": "get",
  "/v2/numbers/contacts/{id}/left-out": "delete put",
};

it("describes the operations with the schemas that check them", async () => {
  const { openapi, paths, components } = await service.json("/openapi.json");
  expect(openapi).toMatch(/^3\.1\./);
  type Operation = { security: object[]; responses: Record<string, object> };
  const described = Object.entries<Record<string, Operation>>(paths);
  expect(Object.fromEntries(described.map(([path, all]) => [path, Object.keys(all).sort().join(" ")]))).toEqual(PATHS);
  const error = { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
  for (const [path, all] of described)
    for (const { security, responses } of Object.values(all)) {
      expect(security).toEqual(path.startsWith("/v1/") ? [{ apiToken: [] }, { basic: [] }] : [{ bearer: [] }]);
      for (const [status, response] of Object.entries(responses))
        if (Number(status) >= 400) expect(response).toMatchObject(error);
    }
  expect(components.securitySchemes).toMatchObject({
    bearer: { type: "http", scheme: "bearer" },
    basic: { type: "http", scheme: "basic" },
    apiToken: { type: "apiKey", in: "query", name: "api_token" },
  });
  expect(components.schemas.Event.required).toEqual(["contact_uid", "event_uid"]);
  const { parameters } = paths["/v2/users"].get;
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual(["offset", "limit", "order", "sort"]);
  expect(parameters[1].schema).toMatchObject({ type: "integer", default: 25 });
});
