/** A static site: each page is rendered when it is built, and hydrated. */
export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  runtimeConfig: { public: { trackletToken: "YOUR_API_TOKEN", trackletUrl: "https://track.example.com" } },
  nitro: { preset: "static", output: { publicDir: process.env.TRACKLET_APP_OUT } },
  // Nuxt 4.3 stores the payload of "/" under a key that unstorage 1.17.6 refuses.
  experimental: { payloadExtraction: false },
});
