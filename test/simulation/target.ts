/** Event targets of a page: what is fired at the document passes through its window, on the way down and, where it bubbles, up. */

type Listener = (event: Event) => void;

interface Entry {
  type: string;
  listener: Listener;
  isCapturing: boolean;
}

export interface Target {
  addEventListener(type: string, listener: Listener, isCapturing?: boolean): void;
  dispatchEvent(event: Event): boolean;
}

/**
 * @param onError gets what a listener throws; the others are called all the same, as browsers do
 * @param parent is passed on the way
 */
export const createTarget = (onError: (error: unknown) => void, parent?: Target & { hear?: unknown }) => {
  const entries: Entry[] = [];
  const call = (event: Event, isRight: (entry: Entry) => boolean): void => {
    for (const { listener } of entries.filter(({ type }) => type === event.type).filter(isRight))
      try {
        listener.call(target, event);
      } catch (error) {
        onError(error);
      }
  };
  const target = {
    addEventListener: (type: string, listener: Listener, isCapturing = false): void => {
      const isThere = entries.some(
        (one) => one.type === type && one.listener === listener && one.isCapturing === isCapturing,
      );
      if (!isThere) entries.push({ type, listener, isCapturing });
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
