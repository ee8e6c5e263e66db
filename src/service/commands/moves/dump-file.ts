import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { pipeline as connect, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip, gunzipSync, gzipSync } from "node:zlib";
import { parseJson } from "../../base/exact-text.js";
import { fileReason } from "../../base/file-error.js";
import { StartError } from "../../base/start-error.js";
import { isUnavailable } from "../../database/sql-state.js";
import { readScript, type Section } from "./script.js";
import type { Counts } from "./tables.js";

/*
 * A dump is a file of gzip in two parts. The first is one line that says what is in the second, a script of COPY as pg_dump
 * writes it: where the tables are, `zcat FILE | psql` loads it as well.
 */

/** What a dump says of itself. */
export interface Header {
  /** Version of the service that made it. */
  build: string;
  /** Versions of the tables, of which it may not know the last ones. */
  tables: string[];
  /** Version of the service that knows all of them. */
  tablesOf?: string;
  /** ISO 8601. */
  taken: string;
  /** The first id that was not settled. */
  settled: string;
  rows: Counts;
  /** SHA-256 of the script; what flows to stdout has the checksum of gzip alone. */
  sha256?: string;
}

const MARK = "-- dump of tracklet, form 1: ";
const LINE_BYTES = 4_096;
/** Of the script, at a time. */
const CHUNK_BYTES = 65_536;
/** The first part is not made smaller, so it is written last, over a place of its own. */
const packLine = (text: string): Buffer => gzipSync(text.padEnd(LINE_BYTES - 1).concat("\n"), { level: 0 });
const BODY_AT = packLine("").length;

/** Takes the checksum of what flows through. */
const summing = () => {
  const hash = createHash("sha256");
  return {
    async *through<Chunk extends Buffer | string>(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    sum: () => hash.digest("hex"),
  };
};

/** Of a dump that would be larger than it may. */
export class TooLarge extends Error {}

/** Lets so many bytes through. @throws TooLarge where there are more */
const atMost = (most: number) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = BODY_AT;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > most) throw new TooLarge(`it takes more than ${most} bytes`);
      yield chunk;
    }
  };

/** @throws StartError where something else than a file has the name, which would take its place: a folder, a device, a pipe */
export const requirePlain = async (file: string): Promise<void> => {
  const there = await stat(file).catch(() => undefined);
  if (there !== undefined && !there.isFile())
    throw new StartError(`${file} is no plain file, whose place the dump would take: - writes it to stdout`);
};

/** Writes a dump to a stream, which stays open where it is that of this process. */
export const streamDump = async (
  stdout: Writable,
  header: Omit<Header, "sha256">,
  script: AsyncIterable<Buffer | string>,
): Promise<void> => {
  stdout.write(packLine(MARK + JSON.stringify(header)));
  await pipeline(script, createGzip({ level: 1 }), stdout, { end: stdout !== process.stdout });
};

/** Writes a dump for its owner alone to read; the file has its name only once all is in it and on the disk. @throws TooLarge */
export const writeDump = async (
  file: string,
  { most = Number.POSITIVE_INFINITY, ...header }: Omit<Header, "sha256"> & { most?: number | undefined },
  script: AsyncIterable<Buffer | string>,
): Promise<void> => {
  const part = `${file}.part`;
  const { through, sum } = summing();
  try {
    await rm(part, { force: true });
    const to = createWriteStream(part, { start: BODY_AT, mode: 0o600, flush: true });
    // The fastest: others take several times as long for a tenth less.
    await pipeline(script, through, createGzip({ level: 1 }), atMost(most), to);
    const line = await open(part, "r+");
    await line.write(packLine(MARK + JSON.stringify({ ...header, sha256: sum() })), 0, BODY_AT, 0);
    await line.sync();
    await line.close();
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw unusable(file, "written", error);
  }
};

/** @throws StartError when the file cannot be read, or is no dump */
export const readHeader = async (file: string): Promise<Header> => {
  const bytes = Buffer.alloc(BODY_AT);
  try {
    const from = await open(file);
    await from.read(bytes, 0, BODY_AT, 0).finally(() => from.close());
  } catch (error) {
    throw unusable(file, "read", error);
  }
  let line = "";
  try {
    line = gunzipSync(bytes).toString();
  } catch {}
  if (!line.startsWith(MARK)) throw new StartError(`${file} is no dump of the service`);
  return parseJson(line.slice(MARK.length)) as Header;
};

/**
 * The tables of a dump, one after another.
 *
 * @throws StartError where the file is not as it was written, which may be known behind the last one
 */
export async function* readDump(file: string, header: Header): AsyncGenerator<Section> {
  yield* readScript(readBody(file, header));
}

/** The bytes of the script. @throws StartError as `readDump` does */
async function* readBody(file: string, { sha256 }: Header): AsyncGenerator<Buffer> {
  const { through, sum } = summing();
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  // Its errors are those of what it is read into.
  connect(createReadStream(file, { start: BODY_AT }), unpacked, () => {});
  try {
    yield* through(unpacked);
  } catch (error) {
    throw unusable(file, "read", error);
  }
  if (sha256 !== undefined && sum() !== sha256) throw new StartError(`${file} is damaged: its checksum is another one`);
}

/** Reads it to its end. @throws StartError as `readDump` does */
export const requireWhole = async (file: string, header: Header): Promise<void> => {
  const body = readBody(file, header);
  while (!(await body.next()).done);
};

/** What a file and its compression say of themselves, in words; other errors are left alone. */
const unusable = (file: string, how: string, error: unknown): unknown => {
  const { code = "", syscall, message } = error as NodeJS.ErrnoException;
  if ((isUnavailable(error) && code !== "ENOSPC") || (syscall === undefined && !code.startsWith("Z_"))) return error;
  return new StartError(
    `${file} cannot be ${how}: ${code.startsWith("Z_") ? `it is damaged (${message})` : fileReason(error as Error)}`,
  );
};
