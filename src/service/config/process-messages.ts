import cluster from "node:cluster";
import { EventEmitter } from "node:events";
import type { Server, Socket } from "node:net";

/** What the processes of a unit, which share a port, tell their primary, and it tells them. */
export type UnitMessage =
  /** A process takes connections; the primary hands one over, which comes with the message. */
  | { kind: "takes" }
  | { kind: "connection" }
  /** The primary tells a process to end, behind all that it has handed over. */
  | { kind: "end" }
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

const messages = new EventEmitter();
if (isOfUnit)
  process.on("message", (message: UnitMessage, socket?: Socket) => messages.emit(message.kind, message, socket));

/** Calls a listener for each message of a kind that the primary sends, if there is one. */
export const onUnit = <Kind extends UnitMessage["kind"]>(
  kind: Kind,
  listener: (message: Extract<UnitMessage, { kind: Kind }>, socket?: Socket) => void,
): void => void messages.on(kind, listener);

/** Takes the connections that the primary hands over. */
export const takeConnections = (server: Server): void => {
  onUnit("connection", (_, socket) => {
    // One that was closed on the way is none.
    if (socket === undefined) return;
    // As that of a server that listens.
    socket.allowHalfOpen = true;
    server.emit("connection", socket);
    socket.resume();
  });
  // It looks for requests that are too slow from then on.
  server.emit("listening");
  tellUnit({ kind: "takes" });
};
