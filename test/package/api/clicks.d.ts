// tracklet, entry "clicks": the public types, written by `npm run api`

interface ClickOptions {
    outbound?: boolean | undefined;
    downloads?: boolean | undefined;
}
declare const trackClicks: (options?: ClickOptions) => (() => void);
export { trackClicks };
export type { ClickOptions };
