import { sveltekit } from "@sveltejs/kit/vite";

export default {
  plugins: [sveltekit()],
  // The built files are run from where they lie: no framework lies there.
  ssr: { noExternal: true },
};
