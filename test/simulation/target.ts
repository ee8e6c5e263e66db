/** Event targets of a page: what is fired at the document is heard at its window, too. */

type Listener = (event: Event) => void;

export interface Target {
  addEventListener(type: string, listener: Listener): void;
  dispatchEvent(event: Event): boolean;
}

/**
 * @param onError gets what a listener throws; the others are called all the same, as browsers do
 * @param parent hears it as well
 */
export const createTarget = (onError: (error: unknown) => void, parent?: Target): Target => {
  const entries: { type: string; listener: Listener }[] = [];
  return {
    addEventListener: (type, listener) => {
      if (!entries.some((one) => one.type === type && one.listener === listener)) entries.push({ type, listener });
    },
    dispatchEvent: (event) => {
      for (const { listener } of entries.filter(({ type }) => type === event.type))
        try {
          listener(event);
        } catch (error) {
          onError(error);
        }
      return parent?.dispatchEvent(event) ?? true;
    },
  };
};

/** An event of the browser's own, with further members, such as `persisted`. */
export const createEvent = (type: string, members: object = {}): Event =>
  ({ type, isTrusted: true, ...members }) as Event;
