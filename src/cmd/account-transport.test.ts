// Requests and sockets as a service account, at a server that wants to know who calls.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { Client } from "../client/client.ts";
import { connectionTo } from "../client/https/https-server.testing.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { startListener, type TestListener } from "../http/listener.testing.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { accountTransport } from "./account-transport.ts";

let folder: string;
let server: ServerInProcess;
let listener: TestListener;
let admin: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plinth-accounts-"));
  await writeFile(join(folder, "tokens"), `root,admin,1,${SYSTEM_MASTERS}\n`);
  server = await serverInProcess({
    dialect: "platform",
    flags: ["--authorization-mode=RBAC", `--token-auth-file=${join(folder, "tokens")}`],
    authentication: "by flags",
    authorization: "by flags",
  });
  listener = await startListener((request) => server.handler(request));
  const transport = new InProcessTransport({ handler: server.handler, headers: { authorization: "Bearer root" } });
  admin = new Client({ transport });
  const { systemNamespace } = admin.names;
  await admin.core.v1
    .namespaces()
    .create({ metadata: { name: systemNamespace } })
    .catch(() => undefined);
});
afterAll(async () => {
  await listener.close(0);
  await server.close();
  await rm(folder, { recursive: true });
});

const asAccount = (account: string) =>
  accountTransport({ client: admin, connection: connectionTo(listener, {}), account });
const fullName = (account: string) => `system:serviceaccount:${admin.names.systemNamespace}:${account}`;

it("makes the account, and asks as it", async () => {
  const transport = asAccount("mover");
  const { status } = await new Client({ transport }).authentication.v1.selfSubjectReviews().create({});
  expect(status.userInfo.username).toBe(fullName("mover"));
  await transport.close();
});

it("opens sockets as it, too", async () => {
  const transport = asAccount("talker");
  const connecting = transport.connect({
    path: "/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true",
    protocols: ["v5.channel.k8s.io"],
  });
  await expect(connecting).rejects.toThrow(`User "${fullName("talker")}" cannot`);
  await transport.close();
});

it("shows another token at once when the account was made anew", async () => {
  const transport = asAccount("again");
  const client = new Client({ transport });
  const whoAmI = async () => (await client.authentication.v1.selfSubjectReviews().create({})).status.userInfo.uid;
  const before = await whoAmI();
  await admin.core.v1.serviceAccounts(admin.names.systemNamespace).delete("again");
  const after = await whoAmI();
  expect(after).not.toBe(before);
  await transport.close();
});

it("asks for one other token when many requests at once are refused", async () => {
  let tokens = 0;
  const counting = new InProcessTransport({
    handler: (request) => {
      if (request.path.includes("/token")) tokens += 1;
      return server.handler(request);
    },
    headers: { authorization: "Bearer root" },
  });
  const account = "crowd";
  const transport = accountTransport({
    client: new Client({ transport: counting }),
    connection: connectionTo(listener, {}),
    account,
  });
  const client = new Client({ transport });
  const ask = () => client.authentication.v1.selfSubjectReviews().create({});
  await ask();
  await admin.core.v1.serviceAccounts(admin.names.systemNamespace).delete(account);
  tokens = 0;
  await Promise.all(Array.from({ length: 20 }, ask));
  // The account is not there, and is then.
  expect(tokens).toBe(2);
  await transport.close();
});
