/*
 * PostgreSQL's hash of a UUID, by which Citus finds the shard of a row: `hash_bytes` in src/common/hashfn.c, which is
 * lookup3 of Bob Jenkins, here over 16 bytes. A server whose processor puts the high byte first has another one.
 */

/** The golden ratio, the number of bytes, and a number that PostgreSQL adds. */
const SEED = (0x9e3779b9 + 16 + 3923095) | 0;

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** @returns a signed number of 32 bits */
export const hashUuid = (uuid: string): number => {
  const bytes = Buffer.from(uuid.replaceAll("-", ""), "hex");
  let a = (SEED + bytes.readInt32LE(0)) | 0;
  let b = (SEED + bytes.readInt32LE(4)) | 0;
  let c = (SEED + bytes.readInt32LE(8)) | 0;
  a = (a - c) ^ rotated(c, 4);
  c = (c + b) | 0;
  b = (b - a) ^ rotated(a, 6);
  a = (a + c) | 0;
  c = (c - b) ^ rotated(b, 8);
  b = (b + a) | 0;
  a = (a - c) ^ rotated(c, 16);
  c = (c + b) | 0;
  b = (b - a) ^ rotated(a, 19);
  a = (a + c) | 0;
  c = (c - b) ^ rotated(b, 4);
  b = (b + a) | 0;
  // The last four bytes.
  a = (a + bytes.readInt32LE(12)) | 0;
  c = ((c ^ b) - rotated(b, 14)) | 0;
  a = ((a ^ c) - rotated(c, 11)) | 0;
  b = ((b ^ a) - rotated(a, 25)) | 0;
  c = ((c ^ b) - rotated(b, 16)) | 0;
  a = ((a ^ c) - rotated(c, 4)) | 0;
  b = ((b ^ a) - rotated(a, 14)) | 0;
  return ((c ^ b) - rotated(b, 24)) | 0;
};
