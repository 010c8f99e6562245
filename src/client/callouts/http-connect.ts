// A way out through a proxy that is asked with CONNECT (RFC 9110, section 9.3.6), over TCP with or without TLS, or a socket
// in the file system.

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { type Clock, systemClock } from "../../base/clock.ts";
import { secureContextInTurns } from "../tls-target.ts";
import type { Egress } from "./egress.ts";

interface HttpConnectProxy {
  readonly name: string;
  readonly at: { readonly url: URL; readonly tls?: ProxyTls } | { readonly socketPath: string };
}

/** PEM. Without an authority, that of the machine counts. */
export interface ProxyTls {
  readonly authority?: string;
  readonly certificatePem?: string;
  readonly keyPem?: string;
}

/** How long a proxy may take to reach an address, whatever it says meanwhile. */
const TIMEOUT_MS = 30_000;

export function httpConnect({ name, at }: HttpConnectProxy, clock: Clock = systemClock): Egress {
  let trust: Promise<SecureContext | undefined> | undefined;
  return {
    name,
    async connect(host, port) {
      trust ??= trustOf(at);
      const secureContext = await trust;
      return new Promise<Socket>((resolve, reject) => {
        const where = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
        const fail = (why: string) => reject(new Error(`the proxy for ${name} does not reach ${where}: ${why}`));
        const options = {
          method: "CONNECT",
          path: where,
          headers: { host: where },
          agent: false as const,
        };
        const asked = open(at, { ...options, ...(secureContext === undefined ? {} : { secureContext }) });
        const deadline = clock.setTimer(TIMEOUT_MS, () => asked.destroy(new Error("no answer in time")));
        asked.on("close", () => deadline.cancel());
        asked.on("connect", (answer, socket: Socket, first: Buffer) => {
          if (answer.statusCode === 200 && first.length === 0) return resolve(socket);
          socket.destroy();
          fail(answer.statusCode === 200 ? "it speaks before it is asked" : `status ${answer.statusCode}`);
        });
        // A proxy that takes CONNECT for an ordinary request answers like this.
        asked.on("response", (answer) => {
          answer.destroy();
          fail(`status ${answer.statusCode}`);
        });
        asked.on("error", (error) => fail(error.message));
        asked.end();
      });
    },
  };
}

async function trustOf(at: HttpConnectProxy["at"]): Promise<SecureContext | undefined> {
  if ("socketPath" in at || at.url.protocol === "http:") return undefined;
  const { authority, certificatePem, keyPem } = at.tls ?? {};
  const identity = certificatePem === undefined || keyPem === undefined ? undefined : { certificatePem, keyPem };
  return secureContextInTurns({ authority, identity });
}

function open(at: HttpConnectProxy["at"], options: object) {
  if ("socketPath" in at) return httpRequest({ ...options, socketPath: at.socketPath });
  const { url } = at;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol === "http:") return httpRequest({ ...options, host, port: url.port || 80 });
  return httpsRequest({ ...options, host, port: url.port || 443 });
}
