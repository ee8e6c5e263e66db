/** What the package promises: the declarations that its users' compilers see, one flat file an entry. */
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";

export const ENTRIES = ["index", "read", "send", "clicks", "active", "test"] as const;

/** The report is a page for readers: nothing compiles it. */
const page = (entry: string, types: string): string =>
  `# tracklet, entry "${entry}": the public types, written by \`npm run api\`\n\n\`\`\`ts\n${types}\`\`\`\n`;

export const reportFile = (entry: string): URL => new URL(`api/${entry}.api.md`, import.meta.url);

/** The declarations of a built entry, without comments: another wording is no other promise. */
export const report = async (entry: (typeof ENTRIES)[number]): Promise<string> => {
  const bundle = await rollup({ input: `dist/${entry}.d.ts`, plugins: [dts()] });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  const file = ts.createSourceFile(`${entry}.d.ts`, output[0].code, ts.ScriptTarget.Latest);
  const types = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed }).printFile(file);
  return page(entry, types);
};
