import type { ServiceConfig } from "./options.js";

/**
 * What stands in front of the hosts of a database's URL, the hosts, and what stands behind them. What ends a part of a URL is written
 * otherwise in a password, or what stands behind it would be taken for the host, and told; with a blank in it, `pg` reads the rest wrong.
 */
const PARTS = /^(postgres(?:ql)?:\/\/(?:(?:[^@/?#%\s]|%[\da-f]{2})*@)?)([^@/?#\s]*)([^@#\s]*)$/i;

/**
 * The addresses that a database's URL names, each as a URL: there may be several, as libpq takes them
 * (PostgreSQL, "Connection URIs").
 *
 * @returns none where the text is no such URL
 */
export const addressesOf = (url: string): string[] => {
  const [, before, hosts = "", behind] = PARTS.exec(url) ?? [];
  if (before === undefined || /^,|,,|,$/.test(hosts)) return [];
  const addresses = hosts.split(",").map((host) => `${before}${host}${behind}`);
  return addresses.every((address) => URL.canParse(address)) ? addresses : [];
};

/** The database of a service, for people: without a password. */
export const tellDatabase = ({
  databaseUrl,
  dataFolder,
}: Pick<ServiceConfig, "databaseUrl" | "dataFolder">): string => {
  if (databaseUrl === undefined) return `a PostgreSQL of its own in ${dataFolder}`;
  const urls = addressesOf(databaseUrl).map((address) => new URL(address));
  const hosts = urls.map(({ host }) => host || "this machine").join(", ");
  return `the database ${urls[0]!.pathname.slice(1) || "of the user's name"} at ${hosts}`;
};
