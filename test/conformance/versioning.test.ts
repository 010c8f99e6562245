// Document 1, "Versioning": the removed API versions are gone, their replacements are served under the rules of the table.

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { Metrics } from "../../src/base/metrics.ts";
import type { GroupKey, Names } from "../../src/meta/names.ts";
import { namesFor } from "../../src/meta/names.ts";
import { RELEASE } from "../../src/meta/version.ts";
import { Api, api, inBothDialects } from "./conformance.testing.ts";

/** Group, removed version, resource, and the version that serves it now. */
const REMOVED: readonly [GroupKey | "extensions", string, string, string | undefined][] = [
  ["flowcontrol.apiserver", "v1beta3", "flowschemas", "v1"],
  ["flowcontrol.apiserver", "v1beta3", "prioritylevelconfigurations", "v1"],
  ["flowcontrol.apiserver", "v1beta2", "flowschemas", "v1"],
  ["flowcontrol.apiserver", "v1beta1", "flowschemas", "v1"],
  ["storage", "v1beta1", "csistoragecapacities", "v1"],
  ["autoscaling", "v2beta2", "horizontalpodautoscalers", "v2"],
  ["autoscaling", "v2beta1", "horizontalpodautoscalers", "v2"],
  ["batch", "v1beta1", "cronjobs", "v1"],
  ["discovery", "v1beta1", "endpointslices", "v1"],
  ["events", "v1beta1", "events", "v1"],
  ["policy", "v1beta1", "poddisruptionbudgets", "v1"],
  ["policy", "v1beta1", "podsecuritypolicies", undefined],
  ["node", "v1beta1", "runtimeclasses", "v1"],
  ["admissionregistration", "v1beta1", "validatingwebhookconfigurations", "v1"],
  ["admissionregistration", "v1beta1", "mutatingwebhookconfigurations", "v1"],
  ["apiextensions", "v1beta1", "customresourcedefinitions", "v1"],
  ["apiregistration", "v1beta1", "apiservices", "v1"],
  ["coordination", "v1beta1", "leases", "v1"],
  ["scheduling", "v1beta1", "priorityclasses", "v1"],
  ["rbac.authorization", "v1beta1", "clusterroles", "v1"],
  ["rbac.authorization", "v1beta1", "rolebindings", "v1"],
  ["certificates", "v1beta1", "certificatesigningrequests", "v1"],
  ["extensions", "v1beta1", "ingresses", undefined],
  ["networking", "v1beta1", "ingresses", "v1"],
  ["networking", "v1beta1", "ingressclasses", "v1"],
  ["storage", "v1beta1", "csidrivers", "v1"],
  ["storage", "v1beta1", "csinodes", "v1"],
  ["storage", "v1beta1", "storageclasses", "v1"],
  ["storage", "v1beta1", "volumeattachments", "v1"],
  ["extensions", "v1beta1", "networkpolicies", undefined],
  ["extensions", "v1beta1", "daemonsets", undefined],
  ["extensions", "v1beta1", "deployments", undefined],
  ["extensions", "v1beta1", "replicasets", undefined],
  ["apps", "v1beta1", "deployments", "v1"],
  ["apps", "v1beta2", "statefulsets", "v1"],
];

const groupOf = (names: Names, group: GroupKey | "extensions") => (group === "extensions" ? group : names.group(group));

inBothDialects("Versioning: removed API versions", (dialect) => {
  it.each(REMOVED)("%s/%s %s", async (group, version, resource, now) => {
    const { get, names } = await api(dialect);
    const base = `/apis/${groupOf(names, group)}`;
    assert.equal((await get(`${base}/${version}/${resource}`)).status, 404);
    if (now !== undefined) assert.equal((await get(`${base}/${now}/${resource}`)).status, 200);
  });

  it.each(["authentication", "authorization"] as const)("reviews of %s/v1beta1", async (group) => {
    const { post, names } = await api(dialect);
    const resource = group === "authentication" ? "tokenreviews" : "selfsubjectaccessreviews";
    assert.equal((await post(`/apis/${names.group(group)}/v1beta1/${resource}`, {})).status, 404);
  });
});

describe("Versioning: rules of the replacements", () => {
  it("flowcontrol: nominalConcurrencyShares is 30 when unset, and an explicit 0 stays", async () => {
    const server = await api();
    const at = `/apis/${server.names.group("flowcontrol.apiserver")}/v1/prioritylevelconfigurations`;
    const level = (name: string, limited: object) => ({
      metadata: { name },
      spec: { type: "Limited", limited: { limitResponse: { type: "Reject" }, ...limited } },
    });
    assert.equal((await server.created(at, level("unset", {}))).spec.limited.nominalConcurrencyShares, 30);
    const zero = await server.created(at, level("zero", { nominalConcurrencyShares: 0 }));
    assert.equal(zero.spec.limited.nominalConcurrencyShares, 0);
  });

  it("apps: the selector of a Deployment is required and never changes; strategy and limits have defaults", async () => {
    const server = await api();
    const at = (await server.configMaps()).replace("/api/v1", "/apis/apps/v1").replace("configmaps", "deployments");
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    assert.equal((await server.post(at, { metadata: { name: "d" }, spec: { template } })).status, 422);
    const { spec } = await server.created(at, {
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    });
    assert.deepEqual(
      [spec.progressDeadlineSeconds, spec.revisionHistoryLimit, spec.strategy],
      [600, 10, { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } }],
    );
    const other = {
      selector: { matchLabels: { a: "c" } },
      template: { ...template, metadata: { labels: { a: "c" } } },
    };
    assert.equal((await server.patch(`${at}/d`, { spec: other })).status, 422);
  });

  it("admissionregistration: failurePolicy, matchPolicy and timeoutSeconds have defaults, sideEffects is required", async () => {
    const server = await api();
    const at = `/apis/${server.names.group("admissionregistration")}/v1/validatingwebhookconfigurations?dryRun=All`;
    const hook = (more: object) => ({
      metadata: { name: "w" },
      webhooks: [
        {
          name: "a.example.com",
          clientConfig: { url: "https://127.0.0.1/x" },
          admissionReviewVersions: ["v1"],
          ...more,
        },
      ],
    });
    assert.equal((await server.post(at, hook({}))).status, 422);
    const { webhooks } = await server.created(at, hook({ sideEffects: "None" }));
    const { failurePolicy, matchPolicy, timeoutSeconds } = webhooks[0];
    assert.deepEqual([failurePolicy, matchPolicy, timeoutSeconds], ["Fail", "Equivalent", 10]);
  });
});

/** Served versions that are going away: group, version, resource, kind, in which release, and what takes their place. */
const GOING_AWAY: readonly [GroupKey, string, string, string, since: string, removed: string, instead?: string][] = [
  ["networking", "v1beta1", "ipaddresses", "IPAddress", "1.34", "1.37"],
  ["networking", "v1beta1", "servicecidrs", "ServiceCIDR", "1.34", "1.37"],
  ["storage", "v1beta1", "volumeattributesclasses", "VolumeAttributesClass", "1.34", "1.37", "v1"],
  ["storage", "v1alpha1", "volumeattributesclasses", "VolumeAttributesClass", "1.32", "1.35", "v1"],
  ["certificates", "v1alpha1", "clustertrustbundles", "ClusterTrustBundle", "1.34", "1.37"],
  ["storagemigration", "v1alpha1", "storageversionmigrations", "StorageVersionMigration", "1.33", "1.36"],
];

inBothDialects("Versioning: deprecated versions that are served", (dialect) => {
  it("warn who uses them, and are counted with the release that removes them", async () => {
    const names = namesFor(dialect);
    const flags = [
      "--runtime-config=api/all=true",
      "--feature-gates=ClusterTrustBundle=true,ClusterTrustBundleProjection=true,StorageVersionMigrator=true",
    ];
    const metrics = new Metrics({ release: RELEASE });
    const server = new Api(await serverInProcess({ dialect, flags, deps: { metrics } }), names);
    const told: (readonly string[])[] = [];
    for (const [group, version, resource] of GOING_AWAY) {
      const { status, warnings } = await server.get(`/apis/${names.group(group)}/${version}/${resource}`);
      assert.equal(status, 200, `${group} ${version} ${resource}`);
      told.push(warnings);
    }
    assert.deepEqual(
      told,
      GOING_AWAY.map(([key, version, , kind, since, removed, instead]) => {
        const group = names.group(key);
        const better = instead === undefined ? "" : `; use ${group}/${instead} ${kind}`;
        return [
          `299 - "${group}/${version} ${kind} is deprecated in v${since}+, unavailable in v${removed}+${better}"`,
        ];
      }),
    );
    const text = await metrics.text();
    for (const [group, version, resource, , , removed] of GOING_AWAY) {
      const labels = `group="${names.group(group)}",removed_release="${removed}",resource="${resource}"`;
      assert.ok(text.includes(`apiserver_requested_deprecated_apis{${labels},subresource="",version="${version}"} 1`));
    }
    await server.server.close();
  });
});

describe("Versioning: --runtime-config", () => {
  it("switches versions and resources off", async () => {
    const flags = ["--runtime-config=batch/v1=false"];
    const server = new Api(await serverInProcess({ flags }), namesFor("kubernetes"));
    assert.equal((await server.get("/apis/batch/v1/jobs")).status, 404);
    assert.equal((await server.get("/apis/apps/v1/deployments")).status, 200);
    await server.server.close();
  });
});
