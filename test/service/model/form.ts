import { Ajv2020 } from "ajv/dist/2020.js";

type Operations = Record<string, Record<string, { responses: Record<string, { content?: Record<string, object> }> }>>;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
/** What the interface is described by, which is the same of each service of a build. */
let paths: Operations | undefined;

/** Reads it of a service, once. */
export const readDescription = async (url: string): Promise<void> => {
  const document =
    paths === undefined && ((await (await fetch(`${url}/openapi.json`)).json()) as { paths: Operations });
  if (!document || paths !== undefined) return;
  ajv.addSchema(document, "description");
  paths = document.paths;
};

const pointer = (...parts: string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

/** @throws Error where an answer has not the form that the description has for it; pages, and what is not there, have none */
export const requireForm = (method: string, path: string, { status, text }: { status: number; text: string }): void => {
  const [asked] = path.split("?") as [string];
  const isAsked = (one: string) => new RegExp(`^${one.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(asked);
  const template = Object.keys(paths ?? {}).find(isAsked);
  const operation = template && paths![template]![method.toLowerCase()];
  if (!operation) return;
  const where = `${method} ${asked} answers ${status}`;
  const response = operation.responses[String(status)];
  if (response === undefined) throw new Error(`${where}, which its description does not have`);
  const [type] = Object.keys(response.content ?? {});
  if (type === undefined) return;
  const parts = ["paths", template!, method.toLowerCase(), "responses", String(status), "content", type, "schema"];
  const isRight = ajv.getSchema(`description#${pointer(...parts)}`)!;
  if (!isRight(JSON.parse(text)))
    throw new Error(
      `${where} in another form than described: ${ajv.errorsText(isRight.errors)}: ${text.slice(0, 300)}`,
    );
};
