import { Ajv2020 } from "ajv/dist/2020.js";

type Operations = Record<string, Record<string, { responses: Record<string, { content?: Record<string, object> }> }>>;

/** The description of the interface, which is the same of each service of a build. */
let described: Promise<{ ajv: Ajv2020; paths: Operations }> | undefined;

const describe = async (url: string) => {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Operations };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "description");
  return { ajv, paths: document.paths };
};

const pointer = (...parts: string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

/** @throws Error where an answer has not the form that the description has for it */
export const requireForm = async (
  url: string,
  method: string,
  path: string,
  { status, text }: { status: number; text: string },
): Promise<void> => {
  described ??= describe(url).catch((error) => {
    described = undefined;
    throw error;
  });
  const { ajv, paths } = await described.catch(() => ({ ajv: undefined, paths: {} as Operations }));
  const [asked] = path.split("?");
  const template = Object.keys(paths).find((one) =>
    new RegExp(`^${one.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(asked!),
  );
  // Pages, and what is not there, are not described.
  const operation = template === undefined ? undefined : paths[template]![method.toLowerCase()];
  if (ajv === undefined || operation === undefined) return;
  const where = `${method} ${asked} answers ${status}`;
  const response = operation.responses[String(status)];
  if (response === undefined) throw new Error(`${where}, which its description does not have`);
  const [type] = Object.keys(response.content ?? {});
  if (type === undefined) return;
  const schema = `description#${pointer("paths", template!, method.toLowerCase(), "responses", String(status), "content", type, "schema")}`;
  const isRight = ajv.getSchema(schema);
  if (isRight === undefined) throw new Error(`${where}: its description cannot be read`);
  if (!isRight(JSON.parse(text)))
    throw new Error(
      `${where} in another form than described: ${ajv.errorsText(isRight.errors)}: ${text.slice(0, 300)}`,
    );
};
