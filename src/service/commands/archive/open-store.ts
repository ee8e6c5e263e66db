import type { Store } from "./archive-store.js";
import { openFolder } from "./folder-store.js";

/** Opens the place of an archive. @throws StartError where it cannot be used, or another process works there */
export const openStore = async (place: string): Promise<Store> => openFolder(place);
