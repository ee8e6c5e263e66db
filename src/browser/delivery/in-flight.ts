/** What is in flight, and how much more may be: browsers bound it, and say so only by failing. */

/** Requests at once: enough to drain a back-log, and two of a host's six sockets are left to the page. */
const PARALLEL = 4;
/** The same while the page is out of sight: a browser process has 256 in all. */
const PARALLEL_HIDDEN = 32;
/** Bytes with keepalive: of the 65,536 of a document, some are left to the page. */
export const KEEPALIVE_BYTES = 61_440;

export const createFlight = (canKeepAlive: boolean) => {
  /** Keys, with the bytes of those requests that outlive the page; 0 of the others. */
  const requests = new Map<string, number>();
  let keptBytes = 0;
  /** Begun since the page went out of sight: nobody knows when a beacon ends, and its bytes are free again. */
  let beacons = 0;

  return {
    requests,
    isFull: (isOut: boolean): boolean => {
      if (!isOut && !canKeepAlive) beacons = keptBytes = 0;
      return requests.size + beacons >= (isOut ? PARALLEL_HIDDEN : PARALLEL);
    },
    /** So many bytes more may outlive the page. */
    room: (): number => KEEPALIVE_BYTES - keptBytes,

    /** @param kept bytes of a request that outlives the page; 0 of one that does not */
    begin: (key: string, kept: number): void => {
      requests.set(key, kept);
      keptBytes += kept;
      if (kept && !canKeepAlive) beacons++;
    },
    end: (key: string): void => {
      if (canKeepAlive) keptBytes -= requests.get(key) ?? 0;
      requests.delete(key);
    },
  };
};
