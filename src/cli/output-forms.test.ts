// `-o` of commands that act, in both dialects: what they acted on is shown in every form that `get` has.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";

describe.each(DIALECTS)("the output of commands, dialect %s", (dialect) => {
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer(dialect);
    await out("create serviceaccount default");
    await out("create configmap a --from-literal=k=1");
  });
  afterAll(() => server.close());

  const out: CliServer["out"] = (line, stdin) => server.out(line, stdin);

  it("is the token alone, or all that the server says of it", async () => {
    expect(await out("create token default")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(await out("create token default -o jsonpath={.kind},{.spec.expirationSeconds}")).toBe("TokenRequest,3600");
    expect(await out("create token default -o name")).toBe(
      `tokenrequest.${namesFor(dialect).group("authentication")}/default\n`,
    );
  });

  it("is what an object was, when it is deleted", async () => {
    for (const name of ["b", "c"]) await out(`create configmap ${name} --from-literal=k=${name}`);
    expect(await out("delete cm b c -o custom-columns=N:.metadata.name,K:.data.k")).toBe("N     K\nb     b\nc     c\n");
    expect((await server.run("get cm b")).err).toContain('"b" not found');
    expect((await server.run("delete cm b -o yaml")).err).toContain('"b" not found');
  });

  it("is all versions of an object", async () => {
    await out("create configmap changed --from-literal=k=1");
    await out(["patch", "cm", "changed", "-p", '{"data":{"k":"2"}}']);
    expect(await out("history cm changed -o jsonpath={.items[*].data.k}")).toBe("1 2");
  });

  it.each(["jsonpath", "jsonpath=", "jsonpath-as-json=", "custom-columns=", "custom-columns-file="])(
    "is nothing for %s alone",
    async (form) => {
      const { code, out: shown, err } = await server.run(`get cm a -o ${form}`);
      const word = form.replace("=", "");
      expect([code, shown, err]).toEqual([1, "", `error: --output: ${word}= lacks what follows\n`]);
    },
  );

  it("is of every list in a dump", async () => {
    const folder = join(server.folder, "dump");
    await out(`cluster-info dump -o custom-columns=N:.metadata.name --namespaces=default --output-directory=${folder}`);
    expect(readdirSync(join(folder, "default"))).toContain("pods.txt");
    expect(readFileSync(join(folder, "nodes.txt"), "utf8")).toBe("N\n");
  });

  it("has who owns which field where that is asked for", async () => {
    const path = "-o jsonpath={.metadata.managedFields[*].manager}";
    expect(await out(`label cm a x=1 --overwrite ${path}`)).toBe("pctl");
    expect(await out("get cm a -o custom-columns=:.metadata.managedFields[*].manager")).toBe("\npctl\n");
    expect(await out("get cm a -o yaml")).not.toContain("managedFields");
    expect(await out("get cm a -o yaml --show-managed-fields")).toContain("managedFields");
  });
});
