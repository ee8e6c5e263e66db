/**
 * A random UUID, version 4 (RFC 9562 §5.4). Built on `crypto.getRandomValues`, because `crypto.randomUUID` does not exist
 * on plain `http` pages.
 */
export const uuid = (): string =>
  "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replace(/x/g, () =>
    (crypto.getRandomValues(new Uint8Array(1))[0]! & 15).toString(16),
  );
