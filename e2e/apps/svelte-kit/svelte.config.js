import adapter from "@sveltejs/adapter-static";

const results = "../../.results/apps";

/** A single-page app: one page, which the server gives for every address. */
export default {
  kit: {
    adapter: adapter({ pages: `${results}/${process.env.TRACKLET_APP_OUT}`, fallback: "index.html", strict: false }),
    outDir: `${results}/.svelte-kit-${process.env.TRACKLET_APP_OUT}`,
    // The files are served as text, as they are.
    paths: { relative: false },
  },
};
