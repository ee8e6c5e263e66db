import { expect } from "vitest";

/** Expects a status, and a body that is exactly `{"error": "<text>"}`. */
export const expectRefusal = async (answer: Response, status: number, text: RegExp): Promise<void> => {
  const body = await answer.json();
  expect({ status: answer.status, body }).toEqual({ status, body: { error: expect.stringMatching(text) } });
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
};
