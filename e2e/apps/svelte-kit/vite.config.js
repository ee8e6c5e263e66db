import { sveltekit } from "@sveltejs/kit/vite";

export default {
  plugins: [sveltekit()],
  // SvelteKit's own version of it, whichever lies next to the built files.
  ssr: { noExternal: ["cookie"] },
};
