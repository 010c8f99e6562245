// Default roles and bindings at every start. Requirements: document 2, "Default roles and bindings".

import { describe, expect, it } from "vitest";
import { type ApiServer, buildApiServer } from "../apiserver/server.ts";
import { silentLog } from "../base/log.ts";
import { callInProcess } from "../http/in-process.ts";
import { namesFor } from "../meta/names.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";

const names = namesFor("platform");
const RBAC = "/apis/rbac.authorization.platform.io/v1";

async function start(engine: MemoryEngine): Promise<ApiServer> {
  const server = buildApiServer({
    names,
    options: parseApiServerOptions(["--authorization-mode=RBAC"]),
    gates: serverGates(new Map()),
    engine,
    log: silentLog,
    authenticator: { authenticate: () => ({ result: "user", user: { name: "root", groups: ["system:masters"] } }) },
  });
  await server.start();
  return server;
}

async function call(server: ApiServer, method: string, url: string, body?: unknown) {
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const answer = await callInProcess(server.handler, {
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return JSON.parse(Buffer.from(answer.body).toString("utf8"));
}

describe("a start", () => {
  it("brings back what was taken from the defaults, keeps what was added, and leaves alone what says so", async () => {
    const engine = new MemoryEngine();
    const first = await start(engine);
    const extra = { verbs: ["get"], apiGroups: [""], resources: ["secrets"] };
    await call(first, "PATCH", `${RBAC}/clusterroles/system:basic-user`, { rules: [extra] });
    await call(first, "DELETE", `${RBAC}/clusterroles/system:discovery`);
    await call(first, "PATCH", `${RBAC}/clusterroles/system:monitoring`, {
      rules: [],
      metadata: { annotations: { [names.autoupdateAnnotation]: "false" } },
    });
    const bob = { kind: "User", apiGroup: "rbac.authorization.platform.io", name: "bob" };
    await call(first, "PATCH", `${RBAC}/clusterrolebindings/system:basic-user`, { subjects: [bob] });
    await first.close();

    const second = await start(engine);
    const role = async (name: string) => call(second, "GET", `${RBAC}/clusterroles/${name}`);
    const basic = (await role("system:basic-user")).rules;
    expect(basic[0]).toEqual(extra);
    expect(JSON.stringify(basic)).toContain("selfsubjectaccessreviews");
    expect((await role("system:discovery")).metadata.labels).toEqual({ "platform.io/bootstrapping": "rbac-defaults" });
    expect((await role("system:monitoring")).rules ?? []).toEqual([]);
    const { subjects } = await call(second, "GET", `${RBAC}/clusterrolebindings/system:basic-user`);
    expect(subjects).toEqual([bob, expect.objectContaining({ kind: "Group", name: "system:authenticated" })]);
    await second.close();
  });

  it("over a store that has all of them writes nothing", async () => {
    const engine = new MemoryEngine();
    await (await start(engine)).close();
    const before = await engine.currentRevision();
    await (await start(engine)).close();
    expect(await engine.currentRevision()).toBe(before);
  });
});
