import { spawnSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createSecureServer } from "node:http2";
import type { Socket } from "node:net";

/*
 * Servers of the tests: by HTTP/1.1, and by HTTP/2 with TLS as most services are. The certificate is made anew for each run,
 * by openssl.
 */

interface Certificate {
  key: string;
  cert: string;
}

/** The environment variable that gives all processes of a run the same certificate. */
const CERTIFICATE = "TEST_CERTIFICATE";

const certificate = (): Certificate | undefined => {
  if (process.env[CERTIFICATE] === undefined) {
    const key = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "-"];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const { stdout, status } = spawnSync("openssl", ["req", ...key, ...names, "-days", "2"], { encoding: "utf8" });
    const [cert] = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(stdout ?? "") ?? [];
    const made = status === 0 && cert ? { key: stdout.replace(cert, "").trim(), cert } : null;
    process.env[CERTIFICATE] = JSON.stringify(made);
  }
  return JSON.parse(process.env[CERTIFICATE]!) ?? undefined;
};

/** Is there a certificate, which openssl makes? */
export const isSecurePossible = (): boolean => certificate() !== undefined;

/**
 * Arguments of a Chromium that takes the certificate for a good one. Playwright's own `ignoreHTTPSErrors` ends with the page,
 * and a request that outlives it would be refused.
 */
export const trustArgs = (): string[] => {
  const given = certificate();
  if (given === undefined) return [];
  const key = new X509Certificate(given.cert).publicKey.export({ type: "spki", format: "der" });
  return [`--ignore-certificate-errors-spki-list=${createHash("sha256").update(key).digest("base64")}`];
};

/**
 * Makes a server on this port, by HTTP/1.1, or by HTTP/2 with TLS. What handles requests is written for the first, which the
 * second understands.
 */
export const createEither = (isSecure: boolean, port: number, handle: RequestListener, host = "127.0.0.1") => {
  const server = isSecure
    ? createSecureServer({ ...certificate()!, allowHTTP1: true }, handle as never)
    : createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, handle);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  return {
    url: `http${isSecure ? "s" : ""}://${host}:${port}`,
    open: async (): Promise<void> => {
      server.listen(port, host);
      await once(server, "listening");
    },
    /** Destroys every connection and stops, until it is opened again. */
    shut: async (): Promise<void> => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
