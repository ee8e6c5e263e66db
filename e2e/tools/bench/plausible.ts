import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { minify } from "terser";

/** Plausible's own tracker as one minified script, which runs this code at its end. */
export const plausibleWith = async (end: string): Promise<string> => {
  const bundle = await rollup({ input: fileURLToPath(import.meta.resolve("@plausible-analytics/tracker")) });
  const { output } = await bundle.generate({ format: "iife", name: "plausible" });
  const { code } = await minify(`${output[0].code};${end}`, { ecma: 2020 });
  return code!;
};
