// The port of a control plane for programs outside of the test, with a certificate for the day.

import { systemClock } from "../base/clock.ts";
import { temporaryServingCertificate } from "../http/certificates.ts";
import { type Listener, listen } from "../http/listener.ts";
import type { ReceivedRequest } from "../http/message.ts";
import type { Handler } from "../http/pipeline.ts";

const CERTIFICATE_LIFE_MS = 24 * 3_600_000;

export interface Serving {
  readonly listener: Listener;
  readonly caPem: string;
}

export async function startServing(handler: Handler<ReceivedRequest>): Promise<Serving> {
  const names = ["localhost", "127.0.0.1", "::1"];
  const { caPem, ...tls } = await temporaryServingCertificate(names, {
    nowMs: systemClock.nowMs(),
    lifeMs: CERTIFICATE_LIFE_MS,
  });
  const listener = await listen({ bindAddress: "127.0.0.1", port: 0, tls, handler });
  return { listener, caPem };
}

/** JSON, which every reader of YAML understands. */
export function kubeconfigText({ listener, caPem }: Serving, token: string): string {
  const server = `https://127.0.0.1:${listener.port}`;
  const authority = Buffer.from(caPem).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "plinth",
    clusters: [{ name: "plinth", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "plinth", context: { cluster: "plinth", user: "admin" } }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
