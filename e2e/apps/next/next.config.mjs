/** A static export. Next.js keeps the folder that it builds in within the app's own. */
export default {
  output: "export",
  distDir: ".out",
  // The links that all apps share lie outside of the app.
  turbopack: { root: new URL("..", import.meta.url).pathname },
};
