import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as S3 from "@aws-sdk/client-s3";
import { StartError } from "../../../base/start-error.js";
import manifest from "../../../package.json" with { type: "json" };
import type { Store } from "./archive-store.js";
import { loadOnFirstUse } from "./first-use.js";

const NAME = "@aws-sdk/client-s3";

const unlessAbsent = (error: S3.S3ServiceException): undefined => {
  if (error.$metadata?.httpStatusCode !== 404) throw error;
};

/** What a store does that names an object by its version: somebody else has written it meanwhile. */
const CHANGED = [409, 412];

/**
 * Opens an archive in a bucket. Credentials, region and an address of another provider are those of the environment, as the client reads it.
 * An object is there once all of it is.
 *
 * @throws StartError where the bucket cannot be used
 */
export const openBucket = async (given: string, say: (line: string) => void): Promise<Store> => {
  const place = given.replace(/\/+$/, "");
  const [, Bucket, prefix = ""] = /^s3:\/\/([^/]+)(?:\/(.+))?$/.exec(place) ?? [];
  if (Bucket === undefined) throw new StartError(`${given} is no place: say s3://bucket/prefix`);
  const version = manifest.installedOnFirstUse[NAME];
  const { S3Client, GetObjectCommand, HeadBucketCommand, HeadObjectCommand, PutObjectCommand } = loadOnFirstUse<
    typeof S3
  >({ name: NAME, version, user: "an archive in S3" }, say);
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 } = process.env;
  const client = new S3Client({
    // Not every provider knows the newer checksums, nor has a host for each bucket.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    forcePathStyle: (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined,
  });
  await client.send(new HeadBucketCommand({ Bucket })).catch((error: Error) => {
    client.destroy();
    throw new StartError(`${place} cannot be used: ${error.name}, ${error.message}`);
  });
  const at = (name: string) => ({ Bucket, Key: [prefix, name].filter(Boolean).join("/") });
  /** The versions of what was read: only that is replaced. */
  const versions = new Map<string, string | undefined>();
  const condition = (name: string): object => {
    if (!versions.has(name)) return {};
    const version = versions.get(name);
    return version === undefined ? { IfNoneMatch: "*" } : { IfMatch: version };
  };
  return {
    place,
    read: async (name) => {
      const found = await client.send(new GetObjectCommand(at(name))).catch(unlessAbsent);
      versions.set(name, found?.ETag);
      return found?.Body?.transformToByteArray();
    },
    write: async (name, bytes) => {
      const put = new PutObjectCommand({ ...at(name), Body: bytes, ...condition(name) });
      const { ETag } = await client.send(put).catch((error: S3.S3ServiceException) => {
        if (!CHANGED.includes(error.$metadata?.httpStatusCode ?? 0)) throw error;
        throw new StartError(`another process works on the archive in ${place}: wait until it has ended`);
      });
      if (versions.has(name)) versions.set(name, ETag);
    },
    make: async (name, work) => {
      const folder = await mkdtemp(join(tmpdir(), "tracklet-archive-"));
      try {
        const path = join(folder, "part");
        const result = await work(path);
        const { size: ContentLength } = await stat(path);
        await client.send(new PutObjectCommand({ ...at(name), Body: createReadStream(path), ContentLength }));
        return result;
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    open: async (name) => {
      const found = await client.send(new HeadObjectCommand(at(name))).catch(unlessAbsent);
      if (found === undefined) return undefined;
      const byteLength = found.ContentLength!;
      return {
        byteLength,
        slice: async (start, end = byteLength) => {
          const Range = `bytes=${start}-${end - 1}`;
          const { Body } = await client.send(new GetObjectCommand({ ...at(name), Range, IfMatch: found.ETag }));
          const bytes = await Body!.transformToByteArray();
          return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
        },
      };
    },
    close: async () => client.destroy(),
  };
};
