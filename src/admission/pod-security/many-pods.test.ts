// A namespace whose level becomes stricter: its pods are read few at a time, and judged in turns with everybody else.

import { afterEach, expect, it, vi } from "vitest";
import { type ServerInProcess, serverInProcess } from "../../apiserver/server.testing.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { podSecurity } from "./pod-security.ts";
import { readPodSecuritySettings } from "./settings.ts";

const names = namesFor("kubernetes");
const labels = { [`${names.podSecurityPrefix}enforce`]: "baseline" };
const pod = (index: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `p${index}` },
  spec: { hostPID: true, containers: [{ name: "a", image: "i" }] },
});

let server: ServerInProcess | undefined;
afterEach(() => server?.close());

it("reads the pods of the namespace few at a time", async () => {
  const engine = new MemoryEngine();
  server = await serverInProcess({
    dialect: "kubernetes",
    engine,
    authorization: "everything",
    flags: ["--disable-admission-plugins=ServiceAccount"],
  });
  for (let index = 0; index < 60; index += 1)
    expect((await server.call("POST", "/api/v1/namespaces/default/pods", pod(index))).status).toBe(201);
  const list = vi.spyOn(engine, "list");
  const { warnings } = await server.call("PATCH", "/api/v1/namespaces/default", { metadata: { labels } });
  expect(warnings).toEqual([
    expect.stringContaining("existing pods in namespace"),
    expect.stringContaining("p0 (and 59 other pods): host namespaces"),
  ]);
  expect(list.mock.calls.map(([, options]) => options?.limit)).toEqual([25, 25, 25]);
});

/** A change to a stricter level, of a namespace with so many pods beside those that are not looked at. */
function stricter(count: number, unread: number) {
  const goOn = vi.fn();
  const { validate } = podSecurity({
    names,
    namespaces: { get: () => undefined, values: () => [].values(), sync: async () => undefined },
    gateEnabled: () => true,
    settings: readPodSecuritySettings(),
    podsOf: async function* () {
      for (let index = 0; index < count; index += 1) yield pod(index) as unknown as ApiObject;
      return unread;
    },
    observe: () => undefined,
  });
  const request = {
    operation: "UPDATE",
    resource: { group: "", version: "v1", resource: "namespaces" },
    subresource: "",
    name: "n",
    object: { metadata: { name: "n", labels } },
    oldObject: { metadata: { name: "n" } },
    warnings: [],
    caller: { goOn },
  } as unknown as AdmissionRequest;
  return { validate: async () => validate!(request), warnings: request.warnings, goOn };
}

it("lets others have their turn between two of them", async () => {
  const { validate, warnings, goOn } = stricter(10, 0);
  await asSlowWork(4, validate);
  expect(warnings[1]).toContain("p0 (and 9 other pods)");
  expect(goOn.mock.calls.length).toBeGreaterThan(10);
});

it("says how many it has not looked at", async () => {
  const { validate, warnings } = stricter(2, 5);
  await validate();
  expect(warnings).toEqual([
    "new PodSecurity enforce level only checked against the first 2 of 7 existing pods",
    expect.stringContaining("existing pods in namespace"),
    "p0 (and 1 other pod): host namespaces",
  ]);
});
