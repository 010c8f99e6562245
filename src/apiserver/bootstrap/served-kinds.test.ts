import { describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { serverInProcess } from "../server.testing.ts";

describe.each(DIALECTS)("a %s server told by --runtime-config what to serve", (dialect) => {
  const { group } = namesFor(dialect);
  const start = (config: string, ...more: readonly string[]) =>
    serverInProcess({
      dialect,
      flags: [`--runtime-config=${config}`, "--authorization-mode=Node,RBAC", ...more],
      authorization: "by flags",
    });

  it.each([
    ["v1=false", "/api/v1/configmaps", "/apis/apps/v1/deployments"],
    [`${group("apiextensions")}/v1=false`, `/apis/${group("apiextensions")}/v1`, "/api/v1/configmaps"],
    [`${group("apiregistration")}/v1=false`, `/apis/${group("apiregistration")}/v1`, "/api/v1/configmaps"],
    [`${group("networking")}/v1=false`, `/apis/${group("networking")}/v1`, "/api/v1/services"],
    [`${group("rbac.authorization")}/v1=false`, `/apis/${group("rbac.authorization")}/v1`, "/api/v1/configmaps"],
    ["api/ga=false", "/api/v1/configmaps", "/readyz"],
    ["api/all=false,v1", "/apis/apps/v1/deployments", "/api/v1/configmaps"],
  ])("%s: starts without %s and serves %s", async (config, without, still) => {
    const server = await start(config);
    expect((await server.call("GET", without)).status).toBe(404);
    expect((await server.call("GET", still)).status).toBe(200);
    await server.close();
  });

  it.each([
    ["nope.example.com/v1=true", /flag --runtime-config: unknown API groups: nope\.example\.com$/],
    ["batch/v7=true", /flag --runtime-config: batch\/v7: there is no version v7 of this group, only v1$/],
    ["v2/pods=false", /flag --runtime-config: v2\/pods: there is no version v2 of this group, only v1$/],
  ])("%s: does not start, and says why", async (config, line) => {
    await expect(start(config)).rejects.toThrow(line);
  });

  it("serves kinds that have a gate only where that is on too", async () => {
    const gated = {
      ClusterTrustBundle: [`${group("certificates")}/v1beta1`, "clustertrustbundles"],
      PodCertificateRequest: [`${group("certificates")}/v1alpha1`, "podcertificaterequests"],
      StorageVersionMigrator: [`${group("storagemigration")}/v1alpha1`, "storageversionmigrations"],
    };
    const gates = `--feature-gates=${Object.keys(gated)
      .map((gate) => `${gate}=true`)
      .join(",")}`;
    const [without, both] = await Promise.all([start("api/all=true"), start("api/all=true", gates)]);
    for (const [version, resource] of Object.values(gated)) {
      const path = `/apis/${version}/${resource}`;
      const statuses = [(await without.call("GET", path)).status, (await both.call("GET", path)).status];
      expect([path, ...statuses]).toEqual([path, 404, 200]);
    }
    await Promise.all([without.close(), both.close()]);
  });
});
