// A small API server to put behind the real one: one group with one kind, discovery and OpenAPI. It believes what headers say
// about users only from a proxy that the ConfigMap of the cluster names.

import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { issueCertificate } from "../../src/http/pki/issue-certificate.ts";

export const GROUP = "shop.example.test";
const BASE = `/apis/${GROUP}/v1`;
const HOUR_MS = 3_600_000;

export interface ExtensionServer {
  readonly port: number;
  /** Base64 of PEM, as an APIService has it. */
  readonly caBundle: string;
  close(): Promise<void>;
}

/** `trust`: the data of the ConfigMap. `host`: the name in the certificate. */
export async function startExtensionServer(
  host: string,
  trust: Readonly<Record<string, string>>,
): Promise<ExtensionServer> {
  const { certificatePem, keyPem } = await issueCertificate({
    use: "server",
    subject: { commonName: host },
    names: [host],
    notBeforeMs: Date.now() - HOUR_MS,
    notAfterMs: Date.now() + HOUR_MS,
  });
  const ca = trust["requestheader-client-ca-file"];
  const options = { cert: certificatePem, key: keyPem, requestCert: true, rejectUnauthorized: false };
  const server = createServer({ ...options, ...(ca === undefined ? {} : { ca }) }, (request, response) => {
    const answer = answerTo(request, proxiedUser(request, trust));
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(certificatePem).toString("base64"),
    close: () => closed(server),
  };
}

interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, string>>;
}

/** Undefined when the caller is no proxy that we know. */
function proxiedUser(request: IncomingMessage, trust: Readonly<Record<string, string>>): User | undefined {
  const socket = request.socket as TLSSocket;
  const list = (key: string) => JSON.parse(trust[key] ?? "[]") as string[];
  const allowed = list("requestheader-allowed-names");
  const name = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined;
  if (name === undefined || (allowed.length > 0 && !allowed.includes(name))) return undefined;
  const values = (header: string) => (request.headersDistinct[header.toLowerCase()] ?? []) as string[];
  const prefixes = list("requestheader-extra-headers-prefix").map((prefix) => prefix.toLowerCase());
  const extra = Object.entries(request.headers).flatMap(([header, value]) => {
    const prefix = prefixes.find((one) => header.startsWith(one));
    return prefix === undefined ? [] : [[decodeURIComponent(header.slice(prefix.length)), String(value)]];
  });
  return {
    name: list("requestheader-username-headers").flatMap(values)[0] ?? "",
    groups: list("requestheader-group-headers").flatMap(values),
    extra: Object.fromEntries(extra) as Record<string, string>,
  };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

function answerTo({ url = "", method }: IncomingMessage, user: User | undefined): Answer {
  if (user === undefined) return failure(401, "Unauthorized");
  const [path = ""] = url.split("?");
  const document = DOCUMENTS[path];
  if (document !== undefined) return { status: 200, body: document };
  if (path === `${BASE}/whoami`) return { status: 200, body: user };
  const [, namespace, name] = new RegExp(`^${BASE}/namespaces/([^/]+)/orders/([^/]+)$`).exec(path) ?? [];
  if (method === "GET" && name !== undefined) return { status: 200, body: order(namespace!, name) };
  if (method === "GET" && new RegExp(`^${BASE}/(namespaces/[^/]+/)?orders$`).test(path)) {
    const items = [order("default", "first"), order("default", "second")];
    return { status: 200, body: { kind: "OrderList", apiVersion: `${GROUP}/v1`, metadata: {}, items } };
  }
  return failure(404, "NotFound");
}

const failure = (code: number, reason: string): Answer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, message: reason, code },
});

const order = (namespace: string, name: string) => ({
  kind: "Order",
  apiVersion: `${GROUP}/v1`,
  metadata: { namespace, name, uid: name, creationTimestamp: "2020-01-01T00:00:00Z" },
  spec: { amount: 3 },
});

const KIND = [{ group: GROUP, version: "v1", kind: "Order" }];

const schemas = (prefix: string) => ({
  "test.example.v1.Order": {
    description: "Order is something that somebody wants.",
    type: "object",
    properties: {
      apiVersion: { type: "string", description: "The version." },
      kind: { type: "string", description: "The kind." },
      spec: { description: "What is wanted.", $ref: `${prefix}test.example.v1.OrderSpec` },
    },
    "x-kubernetes-group-version-kind": KIND,
  },
  "test.example.v1.OrderSpec": {
    description: "OrderSpec says what is wanted.",
    type: "object",
    required: ["amount"],
    properties: { amount: { description: "How many of it.", type: "integer", format: "int32" } },
  },
});

const operation = {
  description: "read the specified Order",
  operationId: "readOrder",
  "x-kubernetes-action": "get",
  "x-kubernetes-group-version-kind": KIND[0],
};

const ORDER_PATH = `${BASE}/namespaces/{namespace}/orders/{name}`;

/** What is served at fixed paths. */
const DOCUMENTS: Readonly<Record<string, unknown>> = {
  [BASE]: {
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
        shortNames: ["od"],
      },
    ],
  },
  "/openapi/v2": {
    swagger: "2.0",
    info: { title: "shop", version: "v1" },
    paths: {
      [ORDER_PATH]: {
        get: {
          ...operation,
          produces: ["application/json"],
          responses: { 200: { description: "OK", schema: { $ref: "#/definitions/test.example.v1.Order" } } },
        },
      },
    },
    definitions: schemas("#/definitions/"),
  },
  "/openapi/v3": { paths: { [BASE.slice(1)]: { serverRelativeURL: `/openapi/v3${BASE}?hash=1234` } } },
  [`/openapi/v3${BASE}`]: {
    openapi: "3.0.0",
    info: { title: "shop", version: "v1" },
    paths: {
      [ORDER_PATH]: {
        get: {
          ...operation,
          responses: {
            200: {
              description: "OK",
              content: { "application/json": { schema: { $ref: "#/components/schemas/test.example.v1.Order" } } },
            },
          },
        },
      },
    },
    components: { schemas: schemas("#/components/schemas/") },
  },
};

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
