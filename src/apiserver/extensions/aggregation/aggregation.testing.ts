// A server behind, over real TLS on loopback, and a server in process in front of it, for tests of aggregation.

import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, vi } from "vitest";
import { bodyOf, startTlsServer, type TlsServer } from "../../../http/tls-server.testing.ts";
import type { UserInfo } from "../../../meta/user.ts";
import { SYSTEM_MASTERS } from "../../../meta/user.ts";
import { type ServerInProcess, type ServerInProcessOptions, serverInProcess } from "../../server.testing.ts";

// Answers are looked into freely, as a client in a loosely typed language would.
// biome-ignore lint/suspicious/noExplicitAny: the shape of every answer is what the tests are about
export type LooseJson = any;

export const APIS = "/apis/apiregistration.k8s.io/v1/apiservices";
export const GROUP = "shop.example.test";

export interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: LooseJson;
  readonly body: string;
}

export type BackendHandler = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void;

export interface Backend extends TlsServer {
  /** Every request for something else than discovery, in order. */
  readonly seen: Seen[];
  handle: BackendHandler;
  /** Answers to discovery, which is asked for in the background too. */
  discovery: BackendHandler;
}

export async function startBackend(names: string[] = ["store.default.svc"]): Promise<Backend> {
  const seen: Seen[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = "", method = "", headers } = request;
    const one = { url, method, headers, body: await bodyOf(request) };
    if (url === `/apis/${GROUP}/v1`) return backend.discovery(one, response, request);
    if (!url.startsWith("/openapi")) seen.push(one);
    backend.handle(one, response, request);
  };
  const server = await startTlsServer((...exchange) => void handle(...exchange), { names, requestCert: true });
  const backend: Backend = { ...server, seen, handle: echo, discovery: answerDiscovery };
  return backend;
}

export const answerDiscovery: BackendHandler = (_seen, response) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(RESOURCES));

/** Says what was asked for. There is no OpenAPI. */
export const echo: BackendHandler = ({ url }, response) => {
  if (url.startsWith("/openapi")) return void response.writeHead(404).end();
  const said = { kind: "Order", apiVersion: `${GROUP}/v1`, said: url };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
};

const RESOURCES = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${GROUP}/v1`,
  resources: [
    {
      name: "orders",
      singularName: "order",
      namespaced: true,
      kind: "Order",
      verbs: ["get", "list"],
      shortNames: ["o"],
    },
    { name: "orders/status", singularName: "", namespaced: true, kind: "Order", verbs: ["get"] },
  ],
};

/** Users are who the header x-test-user says, and administrators without it. */
export function startAggregator(options: ServerInProcessOptions = {}): Promise<ServerInProcess> {
  return serverInProcess({
    ...options,
    deps: {
      authenticator: {
        authenticate: ({ headers }) => {
          const said = headers.first("x-test-user");
          const user =
            said === undefined ? { name: "admin", groups: [SYSTEM_MASTERS] } : (JSON.parse(said) as UserInfo);
          return { result: "user", user };
        },
      },
      ...options.deps,
    },
  });
}

/** A Service `store` that leads to the backend by an external name. */
async function createStore(server: ServerInProcess, port: number): Promise<void> {
  const { status } = await server.call("POST", "/api/v1/namespaces/default/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "store" },
    spec: { type: "ExternalName", externalName: "127.0.0.1", ports: [{ port }] },
  });
  expect(status).toBe(201);
}

export const apiService = (group: string, service: LooseJson, more: LooseJson = {}) => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: `v1.${group}` },
  spec: { group, version: "v1", groupPriorityMinimum: 100, versionPriority: 10, service, ...more },
});

/** Registers the backend below `shop.example.test/v1` and waits until it has been reached. */
export async function registerStore(server: ServerInProcess, backend: Backend): Promise<void> {
  await createStore(server, backend.port);
  const service = { namespace: "default", name: "store", port: backend.port };
  await server.call("POST", APIS, apiService(GROUP, service, { caBundle: backend.caBundle }));
  await waitForCondition(server, `v1.${GROUP}`, { status: "True", reason: "Passed", message: "all checks passed" });
}

export function waitForCondition(server: ServerInProcess, name: string, condition: LooseJson): Promise<void> {
  return eventually(async () => expect(await conditionOf(server, name)).toMatchObject(condition));
}

/** Until it does not throw any more. */
export async function eventually(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: 8_000, interval: 25 });
}

export async function conditionOf(server: ServerInProcess, name: string): Promise<LooseJson> {
  const { json } = await server.call("GET", `${APIS}/${name}`);
  return (json as LooseJson).status.conditions?.[0];
}
