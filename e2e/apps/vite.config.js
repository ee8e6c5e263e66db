import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";

export default {
  plugins: [react(), vue()],
  base: "/",
  // What renders on the server is loaded from where it is built: no framework lies there.
  ssr: { noExternal: true },
  build: { emptyOutDir: true, copyPublicDir: false },
};
