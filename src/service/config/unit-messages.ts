import cluster from "node:cluster";

/** What the processes of a unit, which share a port, tell their primary, and it tells them. */
export type UnitMessage =
  /** Why this process cannot start. */
  | { kind: "failed"; text: string }
  /** What a key has used of a limit: passed on to the others. */
  | { kind: "counted"; counter: string; key: string; points: number }
  /** The metrics of all are asked for, and told; nothing where one gives no answer. */
  | { kind: "ask metrics"; ask: number }
  | { kind: "metrics"; ask: number; text: string | undefined };

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
