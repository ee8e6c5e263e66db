/** Event targets of a page: what is fired at the document passes through its window, on the way down and, where it bubbles, up. */

type Listener = ((event: Event) => void) | { handleEvent(event: Event): void };
type Options = boolean | { capture?: boolean; once?: boolean } | undefined;

interface Entry {
  type: string;
  listener: Listener;
  isCapturing: boolean;
  isOnce: boolean;
}

export interface Target {
  addEventListener(type: string, listener: Listener, options?: Options): void;
  removeEventListener(type: string, listener: Listener, options?: Options): void;
  dispatchEvent(event: Event): boolean;
}

/**
 * @param onError gets what a listener throws; the others are called all the same, as browsers do
 * @param parent is passed on the way
 */
export const createTarget = (onError: (error: unknown) => void, parent?: Target & { hear?: unknown }) => {
  const entries: Entry[] = [];
  const isCapture = (options: Options): boolean => !!(typeof options === "object" ? options.capture : options);
  const call = (event: Event, isRight: (entry: Entry) => boolean): void => {
    for (const entry of entries.filter(({ type }) => type === event.type).filter(isRight)) {
      if (entry.isOnce) entries.splice(entries.indexOf(entry), 1);
      try {
        if (typeof entry.listener === "function") entry.listener.call(target, event);
        else entry.listener.handleEvent(event);
      } catch (error) {
        onError(error);
      }
    }
  };
  const target = {
    addEventListener: (type: string, listener: Listener, options?: Options): void => {
      const isCapturing = isCapture(options);
      const isThere = entries.some(
        (one) => one.type === type && one.listener === listener && one.isCapturing === isCapturing,
      );
      if (!isThere)
        entries.push({ type, listener, isCapturing, isOnce: typeof options === "object" && !!options.once });
    },
    removeEventListener: (type: string, listener: Listener, options?: Options): void => {
      const isCapturing = isCapture(options);
      const index = entries.findIndex(
        (one) => one.type === type && one.listener === listener && one.isCapturing === isCapturing,
      );
      if (index >= 0) entries.splice(index, 1);
    },
    dispatchEvent: (event: Event): boolean => {
      Object.defineProperty(event, "target", { value: target, configurable: true });
      const above = parent as typeof target | undefined;
      above?.call(event, ({ isCapturing }) => isCapturing);
      call(event, ({ isCapturing }) => isCapturing);
      call(event, ({ isCapturing }) => !isCapturing);
      if (event.bubbles) above?.call(event, ({ isCapturing }) => !isCapturing);
      return true;
    },
    call,
  };
  return target;
};

/** An event of the browser's own, with further members, such as `persisted`. */
export const createEvent = (type: string, members: object = {}, { bubbles = false }: EventInit = {}): Event =>
  ({ type, bubbles, isTrusted: true, ...members }) as Event;
