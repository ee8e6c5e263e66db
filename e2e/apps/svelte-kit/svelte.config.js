import adapter from "@sveltejs/adapter-static";

/** A single-page app: one page, which the server gives for every address. */
export default {
  kit: {
    adapter: adapter({ pages: process.env.TRACKLET_APP_OUT, fallback: "index.html", strict: false }),
    // The files are served as text, as they are.
    paths: { relative: false },
  },
};
