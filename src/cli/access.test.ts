import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliServer, startCliServer } from "./cli.testing.ts";

/** What the server says of itself where it leaves the explanation out. */
const LEFT_OUT = "Warning: explain was left out: it needs permission to list roles, clusterroles and their bindings\n";

describe("pctl auth, asked by who may not read roles", () => {
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer("kubernetes", { rules: true });
    await server.out("create clusterrolebinding bob-looks --clusterrole=system:discovery --user=bob");
    await server.out("create clusterrolebinding bob-asks --clusterrole=system:auth-delegator --user=bob");
    await server.out("create clusterrolebinding bob-asks-himself --clusterrole=system:basic-user --user=bob");
  });
  afterAll(() => server.close());

  it("answers without an explanation, and says why once", async () => {
    const ran = await server.run("auth why list pods --token=bob");
    expect(ran).toEqual({ code: 1, out: "no\n", err: LEFT_OUT });
  });

  it("does not say of the server that it cannot tell who may do something", async () => {
    const { code, out, err } = await server.run("auth who-can list pods --token=bob");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(
      `${LEFT_OUT}error: the answer does not tell who may do it: ask of one with auth can-i --as=NAME\n`,
    );
  });
});
