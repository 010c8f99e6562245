// An upgraded connection (WebSocket) to a server behind: bytes go both ways until one side ends, then both do.

import { connect } from "node:tls";
import type { Response } from "../../../http/message.ts";
import type { AuthorizedRequest } from "../../request.ts";
import type { Backends } from "./backend.ts";
import { forwardedHeaders } from "./forwarded-headers.ts";
import { unavailable } from "./proxy.ts";
import type { RemoteApi } from "./remote-api.ts";

const CONNECT_TIMEOUT_MS = 10_000;

export async function tunnel(backends: Backends, request: AuthorizedRequest, api: RemoteApi): Promise<Response> {
  const { upgrade } = request;
  if (upgrade === undefined || !api.available) return unavailable();
  let target: Awaited<ReturnType<Backends["connect"]>>;
  try {
    target = await backends.connect(api);
  } catch {
    return unavailable();
  }
  const far = connect({ host: target.host, port: target.port, ...backends.tls(api), timeout: CONNECT_TIMEOUT_MS });
  const near = upgrade.socket;
  try {
    await new Promise<void>((resolve, reject) => {
      far.once("secureConnect", resolve);
      far.once("error", reject);
      far.once("timeout", () => far.destroy(new Error("the server behind did not answer in time")));
    });
  } catch {
    return unavailable();
  }
  far.setTimeout(0);
  far.write(head(request, api));
  if (upgrade.head.length > 0) far.write(upgrade.head);
  // A half that fails takes the other with it: no connection is left hanging.
  const end = () => {
    far.destroy();
    near.destroy();
  };
  for (const socket of [far, near]) socket.on("error", end).on("close", end);
  request.signal.addEventListener("abort", end, { once: true });
  far.pipe(near);
  near.pipe(far);
  return { status: 101, headers: {}, hijacked: true };
}

function head(request: AuthorizedRequest, { service }: RemoteApi): string {
  const lines = [
    `${request.method} ${request.url} HTTP/1.1`,
    `Host: ${service.name}.${service.namespace}.svc:${service.port}`,
    "Connection: Upgrade",
    `Upgrade: ${request.headers.first("upgrade") ?? "websocket"}`,
  ];
  for (const [name, values] of Object.entries(forwardedHeaders(request))) {
    for (const value of Array.isArray(values) ? values : [values]) lines.push(`${name}: ${value}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}
