import cluster from "node:cluster";

/**
 * What the processes of a unit, which share a port, tell each other. Each has a channel to the one that started them, the
 * primary; it passes on what is `counted`, and answers or asks the rest.
 */
export type UnitMessage =
  /** Why this process cannot start. */
  | { kind: "failed"; text: string }
  /** What a key has used of a limit. */
  | { kind: "counted"; counter: string; key: string; points: number }
  /** The primary is asked for the metrics of all, and answers; each process is asked for its own, and answers. */
  | { kind: "ask totals"; ask: number }
  | { kind: "totals"; ask: number; text: string }
  | { kind: "ask metrics"; ask: number }
  | { kind: "metrics"; ask: number; metrics: object[] };

/** Is this process one of a unit, and not its primary? */
export const isOfUnit = cluster.isWorker;

/** Sends a message to the primary, if there is one. What is said to one that has just ended is lost. */
export const tellUnit = (message: UnitMessage, sent: () => void = () => {}): void => {
  if (isOfUnit) process.send!(message, undefined, undefined, sent);
};

const listeners: ((message: UnitMessage) => void)[] = [];
// One listener for all: Node takes many of them for a leak, and says so in the log.
if (isOfUnit)
  process.on("message", (message: UnitMessage) => {
    for (const listen of listeners) listen(message);
  });

/** Calls a listener for each message of a kind that the primary sends, if there is one. */
export const onUnit = <Kind extends UnitMessage["kind"]>(
  kind: Kind,
  listener: (message: Extract<UnitMessage, { kind: Kind }>) => void,
): void =>
  void listeners.push((message) => {
    if (message.kind === kind) listener(message as Extract<UnitMessage, { kind: Kind }>);
  });

/** Resolves when the primary hands nothing more to this process. */
export const leaveUnit = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("disconnect", () => resolve());
    cluster.worker!.disconnect();
  });
