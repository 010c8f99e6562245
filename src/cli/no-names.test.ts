// A name that is empty, as of a variable that a script has not set, is the name of nothing: never of everything.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliServer, startCliServer } from "./cli.testing.ts";

const NAMELESS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\ndata: {k: '1'}\n";

describe("pctl with names that are empty", () => {
  let server: CliServer;
  let file: string;
  beforeAll(async () => {
    server = await startCliServer("platform");
    await server.out("create configmap a --from-literal=k=1");
    await server.out("create configmap b --from-literal=k=1");
    file = server.write("nameless.yaml", NAMELESS);
  });
  afterAll(() => server.close());

  it.each<[what: string, line: readonly string[]]>([
    ["shown", ["get", "cm", ""]],
    ["described", ["describe", "cm", ""]],
    ["deleted", ["delete", "cm", "", "--timeout=1s"]],
    ["deleted after one that is not", ["delete", "cm", "none", "", "--timeout=1s"]],
    ["deleted without a word", ["delete", "cm", "", "--ignore-not-found", "--timeout=1s"]],
    ["labelled", ["label", "cm", "", "x=y"]],
    ["patched", ["patch", "cm", "", "-p", "{}"]],
    ["waited for", ["wait", "cm", "", "--for=create", "--timeout=1s"]],
  ])("fails when they are to be %s", async (_what, line) => {
    const { code, out, err } = await server.run(line);
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: "error: resource name may not be empty\n" });
    expect(await server.out("get cm -o name")).toBe("configmap/a\nconfigmap/b\n");
  });

  it.each(["delete", "delete --ignore-not-found", "replace", "replace --force", "apply", "diff", "get", "label x=y"])(
    "fails to %s what a file does not name",
    async (words) => {
      const [command = "", ...more] = words.split(" ");
      const { code, out, err } = await server.run([command, "-f", file, ...more]);
      expect({ out, err }).toEqual({ out: "", err: `error: ${file}: metadata.name is not set\n` });
      expect(code).toBe(command === "diff" ? 2 : 1);
      expect(await server.out("get cm -o name")).toBe("configmap/a\nconfigmap/b\n");
    },
  );

  it("makes what a file leaves to the server to name", async () => {
    expect(await server.out(`create -f ${file} --dry-run=server -o name`)).toMatch(/^configmap\/a-\w{5}\n$/);
  });
});
