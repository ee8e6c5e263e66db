/** Downloads the versions of other trackers that docs/compare.md names, and prints the bytes of their scripts after brotli. */
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { PEERS, type PeerName, peerScript } from "./support/peers.js";

const page = readFileSync("docs/compare.md", "utf8");
for (const [name, [version, file]] of Object.entries(PEERS)) {
  const brotli = brotliCompressSync(await peerScript(name as PeerName)).length;
  console.log(`${version}, ${file}: ${brotli} B`);
  const line = page.split("\n").find((text) => text.startsWith(`| ${version.replace(/@(?=[\d.]+$)/, " ")},`));
  if (line?.includes(` ${(brotli / 1_000).toFixed(1)} |`)) continue;
  console.error(`docs/compare.md says otherwise: ${line}`);
  process.exitCode = 1;
}
