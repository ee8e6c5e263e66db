import type { AsyncBuffer } from "hyparquet";

/** Where an archive lies: a folder, or a bucket. */
export interface Store {
  /** As people name it. */
  place: string;
  /** The bytes of a small file; nothing where there is none. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Puts a small file in place, whole or not at all, and on the disk. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Lets `work` make a file at a path of this machine, and puts it in place once it is complete, whole or not at all. */
  make<T>(name: string, work: (path: string) => Promise<T>): Promise<T>;
  /** A file that is read in parts; nothing where there is none. */
  open(name: string): Promise<AsyncBuffer | undefined>;
  close(): Promise<void>;
}
