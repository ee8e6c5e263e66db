export default {
  rewrites: async () => [
    { source: "/i/lib.js", destination: "https://cdn.example.com/tracklet.iife.js" },
    { source: "/i/e", destination: "https://track.example.com/v1/track/event" },
  ],
};
