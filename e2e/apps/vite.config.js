import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";

export default {
  plugins: [react(), vue()],
  base: "/",
  build: { emptyOutDir: true, copyPublicDir: false },
};
