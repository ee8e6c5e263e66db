import { defineConfig } from "astro/config";

export default defineConfig({ outDir: process.env.TRACKLET_APP_OUT, prefetch: true });
