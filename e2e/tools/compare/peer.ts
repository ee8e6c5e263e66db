/** An event as a service finds it in a request. */
export interface Received {
  name: string;
  /** By which a service can tell that it has the event already, if the tracker sends one. */
  id?: string | undefined;
}

/** What was asked of a service, its body without compression. */
export interface Asked {
  /** Path and query. */
  url: string;
  body: string;
}

/** A tracker, as its maker's documents say that it is to be used where no event may be lost. */
export interface Peer {
  /** Its heading in the table. */
  name: string;
  version: string;
  /** The page of its maker's documents that the settings come from. */
  docs: string;
  /** What is set beyond the address of the service, in words. */
  settings: string;
  /** What its maker does not promise, where that explains a figure. */
  note?: string;
  /** The text of its script. */
  script: () => string | Promise<string>;
  /** Code that stands before its script, where its maker's snippet has some that the script needs. */
  stub?: (service: string) => string;
  /** Code that starts it with this service, after its script has run, and defines `record(name)`. */
  start: (service: string) => string;
  /** The events of a request. @throws Error when the body is not what its maker's service takes */
  read: (asked: Asked) => Received[];
  /** What its maker's service answers to a request with events. Default: `{}`. */
  answer?: string;
  /** Headers of that answer. */
  headers?: Record<string, string> | undefined;
  /** What its maker's service, at this address, answers to other requests, which fetch the settings of a project. */
  settle?: (service: string) => object;
}
