import type { Store } from "./archive-store.js";
import { openFolder } from "./folder-store.js";

/** Opens the place of an archive. @throws StartError where it cannot be used, or another process works there */
export const openStore = async (place: string, say: (line: string) => void): Promise<Store> => {
  if (!/^s3:/.test(place)) return openFolder(place);
  const { openBucket } = await import("./s3-store.js");
  return openBucket(place, say);
};
