import { expect, it } from "vitest";
import { serverInProcess } from "../server.testing.ts";

it("gives every namespace its default service account, new ones too, and again after it was deleted", async () => {
  const server = await serverInProcess({ dialect: "platform", deps: { defaultServiceAccounts: true } });
  const status = async (method: string, url: string, body?: object) => (await server.call(method, url, body)).status;
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
