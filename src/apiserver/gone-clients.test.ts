// Writes of clients that do not wait for their answer.

import { once } from "node:events";
import { request } from "node:https";
import { afterEach, expect, it } from "vitest";
import { startListener, type TestListener } from "../http/listener.testing.ts";
import type { Authorizer } from "../registry/authorizer.ts";
import { type ServerInProcess, serverInProcess } from "./server.testing.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let server: ServerInProcess;
let listener: TestListener;
afterEach(async () => {
  await listener.close(0);
  await server.close();
});

it.each(["POST", "PUT", "DELETE"])("a %s is not carried out once its client has gone", async (method) => {
  let asked = () => {};
  const asking = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const allow = { verdict: "allow", reason: "" } as const;
  /** As one whose question to somebody else ends with the client. */
  const authorizer: Authorizer = {
    authorize(_, caller) {
      if (caller === undefined || !isSlow) return allow;
      asked();
      return once(caller.signal, "abort").then(() => allow);
    },
  };
  let isSlow = false;
  server = await serverInProcess({ authorization: authorizer });
  await server.call("POST", CONFIG_MAPS, { metadata: { name: "there" }, data: { a: "b" } });
  let answered: Promise<unknown> = Promise.resolve();
  listener = await startListener((received) => {
    const answer = Promise.resolve(server.handler(received));
    answered = answer;
    return answer;
  });
  isSlow = true;
  const name = method === "POST" ? "new" : "there";
  const path = method === "POST" ? CONFIG_MAPS : `${CONFIG_MAPS}/${name}`;
  const headers = { "content-type": "application/json" };
  const where = { host: "127.0.0.1", port: listener.port, agent: false, rejectUnauthorized: false };
  const client = request({ ...where, method, path, headers });
  client.on("error", () => undefined);
  client.end(method === "DELETE" ? undefined : JSON.stringify({ metadata: { name }, data: { a: "c" } }));
  await asking;
  client.destroy();
  expect(await answered).toMatchObject({ status: 504 });
  isSlow = false;
  const found = await server.call("GET", `${CONFIG_MAPS}/${name}`);
  expect([found.status, found.json.data]).toEqual(method === "POST" ? [404, undefined] : [200, { a: "b" }]);
});
