// Default roles and bindings at every start. Requirements: document 2, "Default roles and bindings".

import { describe, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { namesFor } from "../meta/names.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";

const names = namesFor("platform");
const RBAC = "/apis/rbac.authorization.platform.io/v1";

const start = (engine: MemoryEngine): Promise<ServerInProcess> =>
  serverInProcess({
    dialect: "platform",
    engine,
    flags: ["--authorization-mode=RBAC"],
    authorization: "by flags",
  });

async function call(server: ServerInProcess, method: string, url: string, body?: unknown) {
  return (await server.call(method, url, body)).json;
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

  it("over a store that has all of them writes none", async () => {
    const engine = new MemoryEngine();
    const written = async () => {
      await (await start(engine)).close();
      const { entries } = await engine.list("");
      return entries.filter(({ key }) => /(?:roles|bindings)\//.test(key)).map(({ key, revision }) => [key, revision]);
    };
    const first = await written();
    expect(first.length).toBeGreaterThan(100);
    expect(await written()).toEqual(first);
  });
});
