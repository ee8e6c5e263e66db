import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { minify } from "terser";

/** Plausible's own tracker as one minified script that starts itself, with a page view or without. */
export const plausibleScript = async (endpoint: string, autoCapturePageviews: boolean): Promise<string> => {
  const bundle = await rollup({ input: fileURLToPath(import.meta.resolve("@plausible-analytics/tracker")) });
  const { output } = await bundle.generate({ format: "iife", name: "plausible" });
  const options = { domain: "bench.example", endpoint, autoCapturePageviews, captureOnLocalhost: true };
  const { code } = await minify(`${output[0].code};plausible.init(${JSON.stringify(options)})`, { ecma: 2020 });
  return code!;
};
