import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
beforeEach(async () => {
  node = await RunningNode.start();
});
afterEach(() => node.close());

describe("a node with a program for credentials", () => {
  it("pulls with them, and tells the program of the pod's service account", async () => {
    await node.stopAgent();
    const program = join(node.root, "login");
    const asked = join(node.root, "asked");
    const answer = {
      kind: "CredentialProviderResponse",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      cacheKeyType: "Registry",
      auth: { "example.com": { username: "me", password: "p" } },
    };
    writeFileSync(
      program,
      `#!/bin/sh\ncat > ${asked}.new\nmv ${asked}.new ${asked}\necho '${JSON.stringify(answer)}'\n`,
    );
    chmodSync(program, 0o755);
    node.credentialProviders = [
      {
        ...{ name: "login", program, apiVersion: answer.apiVersion, args: [], env: {}, cacheMs: 60_000 },
        matchImages: ["example.com"],
        serviceAccount: {
          ...{ audience: "registry", isRequired: true, cacheType: "ServiceAccount" },
          ...{ requiredAnnotations: [], optionalAnnotations: [] },
        },
      },
    ];
    await node.startAgent();
    await node.running(await node.run());
    expect(node.runtime.requests("pullImage")).toMatchObject([{ auth: { username: "me", password: "p" } }]);
    expect(JSON.parse(readFileSync(asked, "utf8"))).toMatchObject({
      image: "example.com/app",
      serviceAccountToken: expect.stringMatching(/^ey/),
    });
  });

  it("pulls with the credentials of its own file", async () => {
    const auths = { "example.com": { username: "node", password: "p" } };
    writeFileSync(join(node.root, "config.json"), JSON.stringify({ auths }));
    await node.running(await node.run());
    expect(node.runtime.requests("pullImage")).toMatchObject([{ auth: { username: "node" } }]);
  });
});
