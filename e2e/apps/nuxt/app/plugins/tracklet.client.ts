import { init } from "tracklet";
import { defineNuxtPlugin, useRuntimeConfig } from "#imports";

export default defineNuxtPlugin(() => {
  const { trackletToken, trackletUrl } = useRuntimeConfig().public;
  init({ apiToken: String(trackletToken), trackUrl: String(trackletUrl) });
});
