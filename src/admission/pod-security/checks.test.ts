// What pod security says about pods, in upstream's words and order.

import { describe, expect, it } from "vitest";
import { atOnce } from "../../base/steps.ts";
import { namesFor } from "../../meta/names.ts";
import { findings, findingsText } from "./checks.ts";
import { readPolicy } from "./levels.ts";
import type { PodTemplate } from "./pod-parts.ts";

const names = namesFor("kubernetes");
const context = { names, relaxedByUserNamespace: false };
const LATEST = Number.POSITIVE_INFINITY;
const SAFE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};
const pod = (container: object, spec: object = {}, annotations: Record<string, string> = {}) =>
  ({ metadata: { annotations }, spec: { containers: [{ name: "c", ...container }], ...spec } }) as PodTemplate;
const said = (of: PodTemplate, level: "baseline" | "restricted", minor = LATEST) =>
  findingsText(atOnce(findings(of, { level, minor }, context)));

describe("findings", () => {
  it("of baseline come before those that restricted adds", () => {
    const privileged = pod({ securityContext: { ...SAFE, privileged: true, allowPrivilegeEscalation: true } });
    expect(said(privileged, "restricted")).toBe(
      'privileged (container "c" must not set securityContext.privileged=true), ' +
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
    );
  });

  it("count an AppArmor annotation beside the field that it became", () => {
    const key = `${names.appArmorContainerPrefix}c`;
    const unconfined = { securityContext: { appArmorProfile: { type: "Unconfined" } } };
    expect(said(pod(unconfined, {}, { [key]: "unconfined" }), "baseline")).toBe(
      `forbidden AppArmor profiles (container "c" and annotation must not set AppArmor profile type to "Unconfined", "${key}="unconfined"")`,
    );
    expect(said(pod({}, {}, { [key]: "unconfined" }), "baseline")).toBe(
      `forbidden AppArmor profile (annotation must not set AppArmor profile type to "${key}="unconfined"")`,
    );
    expect(said(pod({}, {}, { [key]: "localhost/a" }), "baseline")).toBe("");
  });

  it("name hosts of probes by the containers that use them", () => {
    const probes = { readinessProbe: { tcpSocket: { host: "b" } }, livenessProbe: { httpGet: { host: "a" } } };
    expect(said(pod(probes), "baseline")).toBe(
      'probe or lifecycle host (container "c" uses probe or lifecycle hosts "a", "b")',
    );
    expect(said(pod(probes), "baseline", 33)).toBe("");
  });

  it("look at seccomp annotations until there were fields for them", () => {
    const annotations = {
      [names.seccompPodAnnotation]: "unconfined",
      [`${names.seccompContainerPrefix}c`]: "foo",
      [`${names.seccompContainerPrefix}other`]: "foo",
    };
    expect(said(pod({}, {}, annotations), "baseline", 18)).toBe(
      `seccompProfile (forbidden annotations ${names.seccompContainerPrefix}c="foo", ${names.seccompPodAnnotation}="unconfined")`,
    );
    expect(said(pod({}, {}, annotations), "baseline", 19)).toBe("");
    expect(said(pod({}, {}, { [names.seccompPodAnnotation]: "docker/default" }), "baseline", 18)).toBe("");
  });
});

describe("what is warned of", () => {
  const baseline = { level: "baseline", minor: LATEST };
  const restricted = { level: "restricted", minor: 30 };
  it.each([
    [
      "is what is refused, where nothing else is said",
      { enforce: "restricted", "enforce-version": "v1.30" },
      restricted,
    ],
    ["is what the namespace says", { enforce: "restricted", warn: "baseline" }, baseline],
    ["has its own version", { enforce: "restricted", "warn-version": "v1.30" }, restricted],
    ["is nothing where the label is wrong", { enforce: "bogus" }, { level: "privileged", minor: LATEST }],
  ])("%s", (_, labels, expected) => {
    const prefixed = Object.entries(labels).map(([key, value]) => [names.podSecurityPrefix + key, value]);
    expect(readPolicy(Object.fromEntries(prefixed), names.podSecurityPrefix).policy.warn).toEqual(expected);
  });
});
