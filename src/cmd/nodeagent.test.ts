// `plinth nodeagent` against a server that speaks the other dialect.

import { join } from "node:path";
import { expect, it } from "vitest";
import { FakeRuntime } from "../nodeagent/cri/fake-runtime.testing.ts";
import { ADMIN_TOKEN, readyUrl, runCommand, startCommand, useCommands } from "./commands.testing.ts";

const test = useCommands();
const SAID = "the server speaks the dialect kubernetes: start with --dialect=kubernetes\n";

async function kubeconfigOfOther(): Promise<string> {
  test.folder.file("tokens.csv", `${ADMIN_TOKEN},admin,1,"system:masters"\n`);
  const flags = [...test.folder.serverFlags(), "--dialect=kubernetes"];
  const server = await startCommand(["apiserver", ...flags], test.folder.path);
  test.running.push(server);
  const cluster = {
    server: await readyUrl(server),
    "certificate-authority": join(test.folder.path, "data/pki/ca.crt"),
  };
  return test.folder.file(
    "kubeconfig",
    JSON.stringify({
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token: ADMIN_TOKEN } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
}

it("the node agent ends, and says which flag is missing", async () => {
  const runtime = await FakeRuntime.start();
  const settings = {
    containerRuntimeEndpoint: runtime.endpoint,
    failSwapOn: false,
    address: "127.0.0.1",
    healthzPort: 0,
    makeIPTablesUtilChains: false,
  };
  const kind = { apiVersion: "nodeagent.config.platform.io/v1beta1", kind: "NodeAgentConfiguration" };
  const config = test.folder.file("agent.json", JSON.stringify({ ...kind, ...settings, port: 0 }));
  const { code, stderr } = await runCommand(
    "nodeagent",
    `--kubeconfig=${await kubeconfigOfOther()}`,
    `--config=${config}`,
    `--root-dir=${join(test.folder.path, "agent")}`,
    "--hostname-override=here",
  );
  runtime.close();
  expect([code, stderr.slice(stderr.lastIndexOf("plinth nodeagent: "))]).toEqual([1, `plinth nodeagent: ${SAID}`]);
}, 60_000);
