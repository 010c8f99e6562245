// What the settings of PodSecurity change: defaults for namespaces that say nothing, and exemptions.

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { namesFor } from "../../meta/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { podSecurity } from "./pod-security.ts";
import { readPodSecuritySettings } from "./settings.ts";

const names = namesFor("kubernetes");
const PREFIX = names.podSecurityPrefix;
const SETTINGS = {
  apiVersion: "pod-security.admission.config.k8s.io/v1",
  kind: "PodSecurityConfiguration",
  defaults: { enforce: "baseline", "enforce-version": "v1.30", audit: "restricted" },
  exemptions: { usernames: ["root"], namespaces: ["free"], runtimeClasses: ["box"] },
};

const plugin = (settings: JsonObject, labels: Record<string, string> = {}) =>
  podSecurity({
    names,
    namespaces: {
      get: () => ({ ending: false, labels, object: {} }),
      values: () => [].values(),
      sync: async () => undefined,
    },
    gateEnabled: () => true,
    settings: readPodSecuritySettings(settings),
    podsOf: async function* () {
      yield* [];
      return 0;
    },
    observe: () => undefined,
  });

const request = (more: object): AdmissionRequest =>
  ({
    operation: "CREATE",
    resource: { group: "", version: "v1", resource: "pods" },
    subresource: "",
    namespace: "n",
    name: "p",
    user: { name: "ann", groups: [] },
    warnings: [],
    auditAnnotations: new Map(),
    ...more,
  }) as unknown as AdmissionRequest;

const pod = (spec: object = {}) => ({ metadata: { name: "p" }, spec: { hostPID: true, containers: [], ...spec } });

describe("the settings of pod security", () => {
  it("hold for namespaces that say nothing", async () => {
    const refused = plugin(SETTINGS).validate!(request({ object: pod() }));
    await expect(refused).rejects.toThrow('violates PodSecurity "baseline:v1.30": host namespaces (hostPID=true)');
    const made = request({ object: pod() });
    await plugin(SETTINGS, { [`${PREFIX}enforce`]: "privileged" }).validate!(made);
    expect(made.auditAnnotations.get(`${PREFIX}audit-violations`)).toContain(
      'would violate PodSecurity "restricted:latest"',
    );
    expect(made.warnings).toEqual([]);
  });

  it.each<[string, object]>([
    ["user", { user: { name: "root", groups: [] }, object: pod() }],
    ["namespace", { namespace: "free", object: pod() }],
    ["runtimeClass", { object: pod({ runtimeClassName: "box" }) }],
  ])("exempt by %s, and the audit log says so", async (why, more) => {
    const exempt = request(more);
    await plugin(SETTINGS).validate!(exempt);
    expect([...exempt.auditAnnotations]).toEqual([[`${PREFIX}exempt`, why]]);
  });

  it.each<[string, object, string[]]>([
    [
      "with a level of its own",
      { enforce: "restricted", "warn-version": "v1.30" },
      ["enforce=restricted:v1.30, warn=restricted:v1.30"],
    ],
    ["with a default said again", { audit: "restricted" }, []],
    ["that says nothing", {}, []],
    ["where anything goes", { enforce: "privileged", audit: "privileged" }, []],
  ])("warn of an exempt namespace %s", async (_, said, policies) => {
    const labels = Object.fromEntries(Object.entries(said).map(([key, value]) => [PREFIX + key, value]));
    for (const [operation, oldObject] of [
      ["CREATE", undefined],
      ["UPDATE", { metadata: { name: "free", labels: { [`${PREFIX}enforce`]: "privileged" } } }],
    ] as const) {
      const made = request({
        ...{ operation, oldObject, name: "free", namespace: "free" },
        resource: { group: "", version: "v1", resource: "namespaces" },
        object: { metadata: { name: "free", labels } },
      });
      await plugin(SETTINGS).validate!(made);
      expect(made.warnings).toEqual(
        policies.map(
          (policy) => `namespace "free" is exempt from Pod Security, and the policy (${policy}) will be ignored`,
        ),
      );
    }
  });

  it.each<[JsonObject, RegExp]>([
    [{ exemption: {} }, /unknown field "exemption"/],
    [{ defaults: { enforce: "strict" } }, /defaults\.enforce: .*must be one of privileged, baseline, restricted/],
    [{ defaults: { "warn-version": "1.30" } }, /defaults\.warn-version: .*must be "latest" or "v1\.x"/],
    [{ exemptions: { namespaces: "free" } }, /PodSecurity: /],
  ])("%j stop the start", (settings, words) => {
    expect(() => readPodSecuritySettings(settings)).toThrow(words);
  });
});

it("labels that cannot be read are the strictest, and the audit log says why", async () => {
  const judged = request({ object: pod() });
  const labels = { [`${PREFIX}enforce`]: "odd", [`${PREFIX}warn`]: "odd" };
  await expect(plugin({}, labels).validate!(judged)).rejects.toThrow(/restricted:latest/);
  expect(judged.auditAnnotations.get(`${PREFIX}error`)).toMatch(
    /^Failed to parse policy: \[metadata\.labels\[.*enforce\]: Invalid value: "odd": .*, metadata\.labels\[.*warn\]: /,
  );
});

describe("labels that say nothing", () => {
  const update = (enforce: string, before: string) =>
    plugin({}).validate!(
      request({
        operation: "UPDATE",
        resource: { group: "", version: "v1", resource: "namespaces" },
        object: { metadata: { name: "n", labels: { [`${PREFIX}enforce`]: enforce } } },
        oldObject: { metadata: { name: "n", labels: { [`${PREFIX}enforce`]: before } } },
      }),
    );

  it("may stay, but not become others", async () => {
    await update("odd", "odd");
    await expect(update("odder", "odd")).rejects.toThrow(/Invalid value: "odder"/);
  });
});
