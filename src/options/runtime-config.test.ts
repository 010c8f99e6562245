import { describe, expect, it } from "vitest";
import { parseApiServerOptions } from "./api-server-options.ts";
import { parseRuntimeConfig } from "./runtime-config.ts";

const config = (text: string) => parseRuntimeConfig(parseApiServerOptions([`--runtime-config=${text}`]).runtimeConfig);

describe("--runtime-config", () => {
  it.each([
    ["", "apps/v1/deployments", true],
    ["", "resource.example/v1beta1/things", false],
    ["", "resource.example/v1alpha3/things", false],
    ["batch/v1=false", "batch/v1/jobs", false],
    ["batch/v1=false", "batch/v2/jobs", true],
    ["batch/v1=false", "apps/v1/deployments", true],
    ["policy/v1", "policy/v1/poddisruptionbudgets", true],
    ["resource.example/v1beta1=", "resource.example/v1beta1/things", true],
    ["resource.example/v1beta1", "resource.example/v1beta1/things", true],
    ["apps/v1/daemonsets=false", "apps/v1/daemonsets", false],
    ["apps/v1/daemonsets=false", "apps/v1/deployments", true],
    ["apps/v1=false,apps/v1/deployments=true", "apps/v1/deployments", true],
    ["apps/v1=false,apps/v1/deployments=true", "apps/v1/daemonsets", false],
    ["api/beta=true", "x/v1beta1/things", true],
    ["api/beta=true", "x/v1alpha1/things", false],
    ["api/alpha", "x/v1alpha1/things", true],
    ["api/ga=false", "apps/v1/deployments", false],
    ["api/all=true", "x/v1alpha1/things", true],
    ["api/all=true,api/alpha=false", "x/v1alpha1/things", false],
    ["api/all=false,apps/v1", "apps/v1/deployments", true],
    ["api/all=false,apps/v1", "batch/v1/jobs", false],
    ["api/v1=false", "/v1/pods", false],
    ["v1=false", "/v1/pods", false],
    ["v1/pods=false", "/v1/pods", false],
    ["api/v1/pods=false", "/v1/configmaps", true],
    ["api/legacy=false", "/v1/pods", false],
    ["api/legacy=false", "apps/v1/deployments", true],
  ])("%s: %s is served: %s", (text, path, expected) => {
    const [group, version, resource] = path.split("/") as [string, string, string];
    expect(config(text).isServed(group, version, resource)).toBe(expected);
  });

  it.each([
    ["apps/v1=maybe", /apps\/v1: "maybe" is neither true nor false/],
    ["apps", /"apps" is not of the form/],
    ["apps/one=true", /"apps\/one" is not of the form/],
    ["apps/v1/a/b=true", /is not of the form/],
    ["apps/v1/=true", /is not of the form/],
    ["api/all=false", /would serve nothing/],
  ])("refuses %s", (text, message) => {
    expect(() => config(text)).toThrow(message);
  });

  it("lists what it names, for a check that it exists", () => {
    expect(config("batch/v1=false,v1/pods").named).toEqual([
      { key: "batch/v1", group: "batch", version: "v1", resource: undefined },
      { key: "v1/pods", group: "", version: "v1", resource: "pods" },
    ]);
  });
});
