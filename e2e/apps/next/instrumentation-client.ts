import { init } from "tracklet";

init({
  apiToken: process.env.NEXT_PUBLIC_TRACKLET_TOKEN ?? "",
  trackUrl: process.env.NEXT_PUBLIC_TRACKLET_URL ?? "",
});
