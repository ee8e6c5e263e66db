import { init } from "tracklet";

init({ apiToken: "YOUR_API_TOKEN", trackUrl: "https://track.example.com" });
