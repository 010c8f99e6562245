// For tests: API servers in process over one engine, and requests to them.

import { type ServerInProcess, type ServerInProcessOptions, serverInProcess } from "../server.testing.ts";

export type TestServer = ServerInProcess;

export function testServer(
  options: Pick<ServerInProcessOptions, "engine" | "flags" | "clock" | "dialect" | "deps"> = {},
): Promise<TestServer> {
  return serverInProcess(options);
}

export const SERVICES = "/api/v1/namespaces/default/services";

/** The smallest service, with more of a spec. */
export function service(name: string, spec: object = {}): object {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}
