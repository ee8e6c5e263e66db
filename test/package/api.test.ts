/** What the package promises: the declarations that its users' compilers see, one flat file an entry. */
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";
import { expect, it } from "vitest";

/** The declarations of a built entry, without comments: another wording is no other promise. */
const typesOf = async (entry: string): Promise<string> => {
  const bundle = await rollup({ input: `dist/${entry}.d.ts`, plugins: [dts()] });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  const file = ts.createSourceFile(`${entry}.d.ts`, output[0].code, ts.ScriptTarget.Latest);
  return ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed }).printFile(file);
};

// Where a change is meant: `npm run api`, and an entry in CHANGELOG.md.
it.each(["index", "read", "send", "clicks", "active", "test", "instance", "window"])(
  "the public types of %s are those that are written down",
  async (entry) => {
    const title = `// tracklet, entry "${entry}": the public types, written by \`npm run api\``;
    await expect(`${title}\n\n${await typesOf(entry)}`).toMatchFileSnapshot(`api/${entry}.d.ts`);
  },
);
