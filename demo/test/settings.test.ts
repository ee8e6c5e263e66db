import { expect, it } from "vitest";
import { placeOfData, readSettings, restartCommand } from "../start/settings.js";

it("what npm start prints of a PostgreSQL server has no password", () => {
  const databaseUrl = "postgresql://anna:p%40ss@db.example:5432/tracklet?password=secret";
  const settings = { ...readSettings({ sitePort: 4200, servicePort: 4100 }), databaseUrl };
  expect(placeOfData(settings)).toBe("postgresql://db.example:5432/tracklet");
  expect(restartCommand(settings, "http://127.0.0.1:4100")).toBe(
    'TRACKLET_DEMO=on DATABASE_URL="$DATABASE_URL" npm run service',
  );
});
