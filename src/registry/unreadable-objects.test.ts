// What is in the store need not come from this server: values in another order are served, values that are no object of
// the kind count as damaged, in every encoding and for every verb. Requirements: document 1, "Deletion of an object".

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";

const KEY = "/registry/configmaps/default/odd";
const PATH = "/api/v1/namespaces/default/configmaps";

describe("values that another program has put into the store", () => {
  let engine: MemoryEngine;
  let server: ServerInProcess;
  beforeEach(async () => {
    engine = new MemoryEngine();
    server = await serverInProcess({
      deps: { engine },
      flags: ["--feature-gates=AllowUnsafeMalformedObjectDeletion=true"],
    });
  });
  afterEach(() => server.close());

  const put = async (value: unknown) => {
    await server.call("GET", PATH);
    return engine.create(KEY, Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
  };

  it("are served with their version where it belongs, whatever their order", async () => {
    const revision = await put({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        annotations: { note: '"uid":"x"' },
        name: "odd",
        namespace: "default",
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "not-mine" }],
        resourceVersion: "1",
        uid: "mine",
      },
    });
    const { json } = await server.call("GET", `${PATH}/odd`);
    expect((json as { metadata: unknown }).metadata).toEqual({
      name: "odd",
      namespace: "default",
      uid: "mine",
      resourceVersion: String(revision),
      annotations: { note: '"uid":"x"' },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "not-mine" }],
    });
  });

  const identity = { name: "odd", namespace: "default", uid: "u" };
  const damaged: [what: string, value: unknown][] = [
    ["cut short", '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"na'],
    ["no object", "[]"],
    ["of another kind", { kind: "Secret", apiVersion: "v1", metadata: identity }],
    ["of another group", { kind: "ConfigMap", apiVersion: "apps/v1", metadata: identity }],
    ["without a kind", { metadata: identity }],
    ["with a member of a wrong type", { kind: "ConfigMap", apiVersion: "v1", metadata: identity, data: [1] }],
    ["with wrong metadata", { kind: "ConfigMap", apiVersion: "v1", metadata: { ...identity, labels: "x" } }],
  ];
  const encodings = [
    "application/json",
    "application/vnd.kubernetes.protobuf",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
  ];

  it.each(damaged)(
    "are damaged when %s: get, list and update are 500, unsafe deletion removes them",
    async (_, value) => {
      await put(value);
      expect((await server.call("GET", `${PATH}/odd`)).status).toBe(500);
      expect((await server.call("GET", PATH)).status).toBe(500);
      const body = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "odd" } };
      expect((await server.call("PUT", `${PATH}/odd`, body)).status).toBe(500);
      expect((await server.call("DELETE", `${PATH}/odd`)).status).toBe(500);
      const unsafe = await server.call("DELETE", `${PATH}/odd?ignoreStoreReadErrorWithClusterBreakingPotential=true`);
      expect([unsafe.status, unsafe.text]).toEqual([200, expect.stringContaining("Success")]);
      expect((await server.call("GET", `${PATH}/odd`)).status).toBe(404);
    },
  );

  it.each(encodings.flatMap((accept) => damaged.map(([what, value]) => [what, accept, value] as const)))(
    "that are %s end a watch in %s with ERROR, at its start and in its course",
    async (_what, accept, value) => {
      const { json } = await server.call("GET", PATH);
      const since = (json as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
      await put(value);
      // Who selects cannot be told that what it saw is gone: nobody knows.
      const starts = ["", `&resourceVersion=${since}`];
      for (const from of [...starts, ...starts.map((start) => `${start}&labelSelector=l`)]) {
        const { text } = await server.call("GET", `${PATH}?watch=true&timeoutSeconds=5${from}`, undefined, { accept });
        expect(text).toContain("ERROR");
        expect(text).not.toContain("ADDED");
      }
    },
  );
});
