import { StartError } from "../service/config.js";

export const portError = (port: number, why: string, who: "site" | "service"): StartError =>
  new StartError(`Port ${port} ${why}: free it, or choose another one in TRACKLET_${who.toUpperCase()}_PORT.`);

export const portInUse = (port: number, address: string, who: "site" | "service"): StartError =>
  portError(port, `is already in use, perhaps by a demo that runs (look at ${address})`, who);
