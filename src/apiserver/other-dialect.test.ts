// What those meet who speak the other dialect than the server. Requirements: docs/differences.md, "Dialects".

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dialect } from "../meta/names.ts";
import { type ServerInProcess, serverInProcess } from "./server.testing.ts";

describe.each([
  ["platform", "networking.k8s.io", "networking.platform.io", "kubernetes"],
  ["kubernetes", "networking.platform.io", "networking.k8s.io", "platform"],
] as const)("a server of the dialect %s", (dialect: Dialect, theirs, ours, other) => {
  let server: ServerInProcess;
  beforeAll(async () => {
    server = await serverInProcess({ dialect });
  });
  afterAll(() => server.close());

  it("says whose group was asked for, and how to get it", async () => {
    const { status, json } = await server.call("GET", `/apis/${theirs}/v1/ingresses`);
    expect([status, (json as { message: string }).message]).toEqual([
      404,
      `the server could not find the requested resource: this server speaks the dialect ${dialect}, where ${theirs} is ` +
        `${ours}; with --dialect=${other} it speaks the other`,
    ]);
  });

  it("answers in upstream's words those who ask in them", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = await server.call("GET", "/api/v1/namespaces", undefined, { accept });
    expect(table.json).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    const protobuf = "application/vnd.kubernetes.protobuf";
    const list = await server.call("GET", "/api/v1/namespaces", undefined, { accept: protobuf });
    expect([list.status, list.headers["content-type"]]).toEqual([200, protobuf]);
    const discovery = "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io";
    const groups = await server.call("GET", "/apis", undefined, { accept: discovery });
    expect(groups.json).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
  });
});
