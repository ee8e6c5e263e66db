/** Downloads the versions of other trackers that the README's table names, and prints the bytes of their scripts after brotli. */
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { PEERS, type PeerName, peerScript } from "./support/peers.js";

/** Only docs/compare.md names these. */
const ELSEWHERE = ["Snowplow", "RudderStack"];

const readme = readFileSync("README.md", "utf8");
for (const [name, [version, file]] of Object.entries(PEERS)) {
  const brotli = brotliCompressSync(peerScript(name as PeerName)).length;
  console.log(`${version}, ${file}: ${brotli} B`);
  const line = readme.split("\n").find((text) => text.startsWith(`| ${version.replace(/@(?=[\d.]+$)/, " ")},`));
  if (line ? !line.includes(` ${(brotli / 1_000).toFixed(1)} |`) : !ELSEWHERE.includes(name)) {
    console.error(`README.md says otherwise: ${line}`);
    process.exitCode = 1;
  }
}
