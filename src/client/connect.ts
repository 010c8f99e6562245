// A client from where connections are usually configured: files, the environment, or the pod it runs in.

import { Client } from "./client.ts";
import { HttpsTransport } from "./https-transport.ts";
import { type ConnectionOptions, loadConnection } from "./load-connection.ts";
import type { ClientOptions } from "./resource-client.ts";

export interface ConnectOptions extends ConnectionOptions, Omit<ClientOptions, "transport" | "emptyResources"> {
  /** Said with every request. */
  readonly userAgent?: string | undefined;
}

/** Nothing is sent before the first request. Fails with KubeconfigError when no server is configured. */
export function connect(options: ConnectOptions = {}): Client {
  const { dialect, clock, random, fieldManager, onWarning, onWritten, userAgent, ...where } = options;
  const connection = loadConnection(where);
  const transport = new HttpsTransport({ connection, userAgent, clock });
  return new Client({ transport, dialect, clock, random, fieldManager, onWarning, onWritten });
}
