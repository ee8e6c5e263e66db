import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./launch.js";

export interface Objection {
  file: string;
  /** The text of the line. */
  line: string;
  message: string;
}

/**
 * What the compiler objects to in files that use the package's public types.
 *
 * @param files their texts by their names: they need not exist, and lie below `ROOT`
 */
export const objectionsTo = (files: ReadonlyMap<string, string>, options: ts.CompilerOptions): Objection[] => {
  const all: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    noEmit: true,
    jsx: ts.JsxEmit.Preserve,
    skipLibCheck: true,
    types: [],
    paths: { tracklet: [join(ROOT, "src/index.ts")], "tracklet/*": [join(ROOT, "src/*.ts")] },
    ...options,
  };
  const host = ts.createCompilerHost(all);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  const program = ts.createProgram([...files.keys()], all, host);
  return [...files].flatMap(([file, text]) => {
    const source = program.getSourceFile(file)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start, messageText }) => ({
        file,
        line: text.split("\n")[source.getLineAndCharacterOfPosition(start!).line]!,
        message: ts.flattenDiagnosticMessageText(messageText, "\n"),
      }),
    );
  });
};
