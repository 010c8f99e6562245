// Templates of pods: PodTemplate, and what templates are told otherwise than pods.

import { describe, expect, it } from "vitest";
import { createErrors, updateErrors } from "../../validation.testing.ts";
import { podTemplate } from "../pod-template.ts";

const spec = { containers: [{ name: "main", image: "i" }] };

describe("PodTemplate", () => {
  it("must hold a pod that could run", () => {
    expect(createErrors(podTemplate, { metadata: { name: "t" }, template: { spec } })).toEqual([]);
    expect(createErrors(podTemplate, { metadata: { name: "t" } })).toEqual([
      "template.spec.containers: Required value",
    ]);
  });

  it("has labels and annotations of the usual form", () => {
    const template = { metadata: { labels: { a: "b c" }, annotations: { "a b": "" } }, spec };
    expect(createErrors(podTemplate, { metadata: { name: "t" }, template }).map((text) => text.split(":")[0])).toEqual([
      "template.labels",
      "template.annotations",
    ]);
  });

  it("may have spaces around images and open host ports, which become those of the container", () => {
    const open = { hostNetwork: true, containers: [{ name: "main", image: " i", ports: [{ containerPort: 80 }] }] };
    expect(createErrors(podTemplate, { metadata: { name: "t" }, template: { spec: open } })).toEqual([]);
  });

  it("has no ephemeral containers, also not after an update", () => {
    const bad = { ...spec, ephemeralContainers: [{ name: "e", image: "i" }] };
    expect(
      updateErrors(podTemplate, { metadata: {}, template: { spec: bad } }, { metadata: {}, template: { spec } }),
    ).toEqual(["template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"]);
  });
});
