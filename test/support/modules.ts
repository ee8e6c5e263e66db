/** What the source files import and declare, as TypeScript's own parser reads them. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";

export interface Import {
  /** Name of the imported module, as {@link Module.name}; of a package, its specifier. */
  from: string;
  /** The imported names that are values; `*` for all of them. */
  names: string[];
  /** Does nothing of it reach the running code? */
  isType: boolean;
}

export interface Module {
  /** Path below the folder, without `.ts`. */
  name: string;
  lines: number;
  imports: Import[];
  /** Every node of the tree; comments are none. */
  nodes: ts.Node[];
}

const allNodes = (root: ts.Node): ts.Node[] => {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
};

const moduleName = (specifier: ts.Node): string => {
  const { text } = specifier as ts.StringLiteral;
  const folder = posix.dirname(specifier.getSourceFile().fileName);
  return text.startsWith(".") ? posix.join(folder, text).replace(/\.js$/, "") : text;
};

const ofImport = ({ moduleSpecifier, importClause }: ts.ImportDeclaration): Import => {
  const bindings = importClause?.namedBindings;
  const elements = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : undefined;
  return {
    from: moduleName(moduleSpecifier),
    names: elements
      ?.filter(({ isTypeOnly }) => !isTypeOnly)
      .map(({ propertyName, name }) => (propertyName ?? name).text) ?? ["*"],
    isType:
      importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ||
      (!!elements && !importClause?.name && elements.every(({ isTypeOnly }) => isTypeOnly)),
  };
};

const importsOf = (nodes: ts.Node[]): Import[] =>
  nodes.flatMap((node): Import[] => {
    if (ts.isImportDeclaration(node)) return [ofImport(node)];
    if (ts.isExportDeclaration(node) && node.moduleSpecifier)
      return [{ from: moduleName(node.moduleSpecifier), names: ["*"], isType: node.isTypeOnly }];
    const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    return isDynamic ? [{ from: moduleName(node.arguments[0]!), names: ["*"], isType: false }] : [];
  });

/** The TypeScript files of a folder, parsed. */
export const readModules = (folder: string): Module[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const nodes = allNodes(ts.createSourceFile(file, text, ts.ScriptTarget.ES2020, true));
      return {
        name: file.replace(/\.ts$/, ""),
        lines: text.trimEnd().split("\n").length,
        imports: importsOf(nodes),
        nodes,
      };
    });
