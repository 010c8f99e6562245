import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import { ALL_KINDS } from "./all-kinds.ts";
import { configMap } from "./core/config-map.ts";
import { event } from "./core/event.ts";
import { event as newEvent } from "./events/event.ts";
import { compareVersions, KindRegistry } from "./kind-registry.ts";

const registry = new KindRegistry(namesFor("kubernetes"), ALL_KINDS);

describe("KindRegistry", () => {
  it("knows nothing under names that only look alike", () => {
    expect(registry.byResource("", "v1", "configmap")).toBeUndefined();
    expect(registry.byResource("apps", "v2", "deployments")).toBeUndefined();
    expect(registry.byResource("networking.platform.io", "v1", "ingresses")).toBeUndefined();
    expect(registry.byKind("", "v1", "constructor")).toBeUndefined();
  });

  it("lists groups in discovery's order with the preferred version first", () => {
    const groups = registry.groups();
    expect(groups.slice(0, 4).map((group) => group.name)).toEqual([
      "",
      "apiregistration.k8s.io",
      "apps",
      "events.k8s.io",
    ]);
    expect(groups.find((group) => group.key === "autoscaling")?.versions).toEqual(["v2", "v1"]);
  });

  it("says in which form an object is stored", () => {
    expect(registry.storedKind(configMap)).toBe(configMap);
    expect(registry.storedKind(newEvent)).toBe(event);
  });

  it("refuses a kind that is stored as one that is not served", () => {
    const lonely = new KindRegistry(namesFor("kubernetes"), [newEvent]);
    expect(() => lonely.storedKind(newEvent)).toThrow(/Event/);
  });

  it("writes the core group without a slash", () => {
    expect(registry.apiVersionOf(configMap)).toBe("v1");
    expect(registry.apiVersionOf(newEvent)).toBe("events.k8s.io/v1");
  });
});

describe("compareVersions", () => {
  it("puts stable before beta before alpha, higher numbers first, and what is no version last", () => {
    const sorted = ["x", "v1alpha1", "v0", "v1", "v1beta1", "v1beta0", "v10", "v1beta2", "v2"].sort(compareVersions);
    expect(sorted).toEqual(["v10", "v2", "v1", "v0", "v1beta2", "v1beta1", "v1beta0", "v1alpha1", "x"]);
  });
});
