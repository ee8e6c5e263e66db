/** The two ports of the demo: looked at before anything that takes long. Plain JavaScript, because nothing is installed then. */
import { createServer } from "node:net";

export const HOST = "127.0.0.1";

/** Ports where the environment names none; 4100 is the service's own. */
const DEFAULTS = { TRACKLET_SITE_PORT: 4200, TRACKLET_SERVICE_PORT: 4100 };

/**
 * @param {"TRACKLET_SITE_PORT" | "TRACKLET_SERVICE_PORT"} name
 * @returns {number}
 * @throws {Error} that names the variable whose value is wrong
 */
export const readPort = (name) => {
  const text = process.env[name] ?? "";
  if (text === "") return DEFAULTS[name];
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`${name}=${text} is not a port: give a whole number from 0 to 65535.`);
};

/**
 * @param {number} port
 * @param {string} why
 * @param {string} name the variable that chooses another one
 */
const problem = (port, why, name) => `Port ${port} ${why}: free it, or choose another one in ${name}.`;

/**
 * Says what keeps a port from being opened.
 *
 * @param {number} port
 * @param {"TRACKLET_SITE_PORT" | "TRACKLET_SERVICE_PORT"} name
 * @param {NodeJS.ErrnoException} error of opening it
 */
export const portProblem = (port, name, { code, message }) => {
  const page = name === "TRACKLET_SERVICE_PORT" ? "/docs" : "";
  return code === "EADDRINUSE"
    ? problem(port, `is already in use, perhaps by a demo that runs (look at http://${HOST}:${port}${page})`, name)
    : problem(port, `cannot be opened (${message})`, name);
};

/** @throws {Error} that says which port cannot be opened, and what to do */
export const checkPorts = async () => {
  for (const name of /** @type {const} */ (["TRACKLET_SITE_PORT", "TRACKLET_SERVICE_PORT"])) {
    const port = readPort(name);
    await new Promise((resolve, reject) => {
      const probe = createServer();
      probe.once("error", (error) => reject(new Error(portProblem(port, name, error))));
      probe.listen(port, HOST, () => probe.close(resolve));
    });
  }
};
