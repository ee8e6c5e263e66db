// tracklet, entry "active": the public types, written by `npm run api`

declare const trackActive: () => (() => void);
export { trackActive };
