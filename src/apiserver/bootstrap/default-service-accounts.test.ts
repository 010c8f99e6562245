import { expect, it } from "vitest";
import { silentLog } from "../../base/log.ts";
import { callInProcess } from "../../http/in-process.ts";
import { namesFor } from "../../meta/names.ts";
import { SYSTEM_MASTERS } from "../../meta/user.ts";
import { parseApiServerOptions } from "../../options/api-server-options.ts";
import { serverGates } from "../../options/feature-gate-table.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { buildApiServer } from "../server.ts";

it("gives every namespace its default service account, new ones too, and again after it was deleted", async () => {
  const server = buildApiServer({
    options: parseApiServerOptions([]),
    names: namesFor("platform"),
    gates: serverGates(new Map()),
    engine: new MemoryEngine(),
    log: silentLog,
    authenticator: { authenticate: () => ({ result: "user", user: { name: "admin", groups: [SYSTEM_MASTERS] } }) },
    defaultServiceAccounts: true,
  });
  await server.start();
  const status = async (method: string, url: string, body?: object) =>
    (
      await callInProcess(server.handler, {
        method,
        url,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    ).status;
  const account = (namespace: string) => `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  try {
    expect(await status("GET", account("default"))).toBe(200);
    expect(await status("POST", "/api/v1/namespaces", { metadata: { name: "new" } })).toBe(201);
    await expect.poll(() => status("GET", account("new"))).toBe(200);
    expect(await status("DELETE", account("new"))).toBe(200);
    await expect.poll(() => status("GET", account("new"))).toBe(200);
  } finally {
    await server.close();
  }
});
