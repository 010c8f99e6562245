// The account that a pod runs as: the default one of a new namespace is about to come.

import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import type { ServiceAccount } from "../kinds/core/service-account.ts";
import { namesFor } from "../meta/names.ts";
import type { AdmissionRequest } from "../registry/admission.ts";
import { Arrivals } from "./arrivals.ts";
import { serviceAccount } from "./service-account.ts";

const names = namesFor("kubernetes");

function pluginWith() {
  const clock = new FakeClock();
  const arrivals = new Arrivals(clock);
  const accounts = new Map<string, ServiceAccount>();
  const lookup = {
    get: (namespace: string, name: string) => accounts.get(`${namespace}/${name}`),
    values: () => accounts.values(),
    sync: async () => undefined,
  };
  const plugin = serviceAccount(names, { lookup, arrivals, randomSuffix: () => "x" });
  return {
    clock,
    plugin,
    make(name: string, annotations: Record<string, string> = {}) {
      accounts.set(name, { metadata: { annotations } } as ServiceAccount);
      arrivals.arrived(name);
    },
    /** How it ended, while it has. */
    admit(serviceAccountName?: string, signal?: AbortSignal) {
      const object = { metadata: { name: "p" }, spec: { containers: [], serviceAccountName } };
      const request = {
        operation: "CREATE",
        resource: { group: "", version: "v1", resource: "pods" },
        subresource: "",
        namespace: "n",
        name: "p",
        object,
        ...(signal && { caller: { signal } }),
      } as unknown as AdmissionRequest;
      const ended: { how?: string } = {};
      const end = (how: string): void => {
        ended.how = how;
      };
      const done = Promise.resolve(plugin.mutate!(request)).then(
        () => end("admitted"),
        (error: Error) => end(error.message),
      );
      return { ended, done, object };
    },
  };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await undefined;
};
const missing = (name: string) =>
  `pods "p" is forbidden: error looking up service account n/${name}: serviceaccount "${name}" not found`;

describe("a pod whose account is missing", () => {
  it("waits for the default one, and for that of its namespace alone", async () => {
    const { admit, make } = pluginWith();
    const { ended, done, object } = admit();
    await turns();
    make("other/default");
    await turns();
    expect(ended.how).toBeUndefined();
    make("n/default");
    await done;
    expect([ended.how, object.spec.serviceAccountName]).toEqual(["admitted", "default"]);
  });

  it("does not wait for ever", async () => {
    const { admit, clock } = pluginWith();
    const { ended, done } = admit();
    await turns();
    expect(ended.how).toBeUndefined();
    await clock.advance(2_000);
    await done;
    expect(ended.how).toBe(missing("default"));
  });

  it("does not wait for another one, which nobody makes by himself", async () => {
    const { admit } = pluginWith();
    const { ended, done } = admit("robot");
    await done;
    expect(ended.how).toBe(missing("robot"));
  });

  it("is refused once its client has gone", async () => {
    const { admit } = pluginWith();
    const client = new AbortController();
    const { ended, done } = admit(undefined, client.signal);
    await turns();
    client.abort();
    await done;
    expect(ended.how).toBe(missing("default"));
  });
});

describe("an account that enforces its list of secrets", () => {
  const container = (name: string) => ({ name, envFrom: [{ secretRef: { name: `secret-of-${name}` } }] });
  const judge = (operation: "CREATE" | "UPDATE", spec: object, enforce = "true") => {
    const { plugin, make } = pluginWith();
    make("n/default", { [names.enforceMountableSecretsAnnotation]: enforce });
    const object = { metadata: { name: "p" }, spec: { serviceAccountName: "default", ...spec } };
    const resource = { group: "", version: "v1", resource: "pods" };
    const subresource = operation === "CREATE" ? "" : "ephemeralcontainers";
    const request = { operation, resource, subresource, namespace: "n", name: "p", object };
    return plugin.validate!(request as unknown as AdmissionRequest);
  };

  it.each(["true", "True", "1"])("as %s refuses pods that name others", async (enforce) => {
    await expect(judge("CREATE", { containers: [container("a")] }, enforce)).rejects.toThrow(/secret-of-a/);
  });

  it("has no say about what a pod had before it was given more containers", async () => {
    await judge("UPDATE", { containers: [container("a")], ephemeralContainers: [{ name: "b" }] });
    const more = { containers: [container("a")], ephemeralContainers: [container("b")] };
    await expect(judge("UPDATE", more)).rejects.toThrow(/ephemeral container b .*secret-of-b/);
  });
});
