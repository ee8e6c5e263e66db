import cluster from "node:cluster";
import type { Server, Socket } from "node:net";

/**
 * What the processes of a unit, which share a port, tell each other. Each has a channel to the one that started them, the
 * primary; it passes on what is `counted`, and answers or asks the rest.
 */
export type UnitMessage =
  /** A process takes connections; the primary hands one over, which comes with the message. */
  | { kind: "takes" }
  | { kind: "connection" }
  /** A process was told to end, and asks when; the primary says it, behind all that it has handed over. */
  | { kind: "leaves" }
  | { kind: "end" }
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

/** Takes the connections that the primary hands over. */
export const takeConnections = (server: Server): void => {
  process.on("message", (message: UnitMessage, socket: Socket | undefined) => {
    // One that was closed on the way is none.
    if (message.kind !== "connection" || socket === undefined) return;
    // As that of a server that listens.
    socket.allowHalfOpen = true;
    server.emit("connection", socket);
    socket.resume();
  });
  // It looks for requests that are too slow from then on.
  server.emit("listening");
  tellUnit({ kind: "takes" });
};
