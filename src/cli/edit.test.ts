// `pctl edit`: what others do meanwhile, and what becomes of text that the server refuses.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DIALECTS } from "../meta/names.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";

describe.each(DIALECTS)("pctl edit, dialect %s", (dialect) => {
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer(dialect);
  });
  afterAll(() => server.close());

  /** `script`: what the editor does with the file `$1`. */
  const edited = (line: string, script: string) => {
    server.env["EDITOR"] = `f() { ${script}; }; f`;
    return server.run(line);
  };
  const create = async (name: string) =>
    expect((await server.run(`create configmap ${name} --from-literal=a=one --from-literal=b=one`)).code).toBe(0);
  /** What the editor does while somebody else writes. */
  const editedMeanwhile = async (name: string, patch: string, script: string) => {
    const [opened, go] = [server.write(`${name}-opened`, ""), join(server.folder, `${name}-go`)];
    rmSync(opened);
    const waits = `touch ${opened}; until [ -e ${go} ]; do sleep 0.01; done`;
    const running = edited(`edit cm ${name}`, `${waits}; ${script}`);
    await vi.waitFor(() => expect(existsSync(opened)).toBe(true), { interval: 5 });
    await server.run(["patch", "cm", name, "-p", patch]);
    server.write(`${name}-go`, "");
    return running;
  };
  const data = async (name: string): Promise<unknown> =>
    JSON.parse((await server.run(`get cm ${name} -o jsonpath={.data}`)).out);

  it("shows what was written in the form that is asked for, and JSON in the editor for JSON", async () => {
    await create("formed");
    expect(await edited("edit cm formed -o jsonpath={.data.a}", "sed -i s/one/two/ $1")).toEqual({
      code: 0,
      out: "two",
      err: "",
    });
    const seen = `${server.folder}/seen`;
    const json = await edited("edit cm formed -o json", `grep '"a":' $1 > ${seen}; sed -i s/two/three/ $1`);
    expect([json.code, JSON.parse(json.out).data.a]).toEqual([0, "three"]);
    expect(readFileSync(seen, "utf8")).toContain('"a": "two"');
  });

  it("opens several objects, one after the other", async () => {
    await create("first");
    await create("second");
    const { out } = await edited("edit cm first second", "sed -i s/one/two/ $1");
    expect(out).toBe("configmap/first edited\nconfigmap/second edited\n");
  });

  it("leaves what others write meanwhile, and stops where they write the same", async () => {
    await create("shared");
    const ran = await editedMeanwhile("shared", '{"data":{"b":"two"}}', "sed -i 's/a: one/a: two/' $1");
    expect(ran).toEqual({ code: 0, out: "configmap/shared edited\n", err: "" });
    expect(await data("shared")).toEqual({ a: "two", b: "two" });
    await create("same");
    const { code, err } = await editedMeanwhile("same", '{"data":{"a":"theirs"}}', "sed -i 's/a: one/a: mine/' $1");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^A copy of your changes.*\nError from server \(Conflict\)/),
    ]);
    expect(await data("same")).toEqual({ a: "theirs", b: "one" });
    rmSync(dirname(/"(.*)"/.exec(err)![1]!), { recursive: true });
  });

  it("keeps a copy of what could not be saved, and fails", async () => {
    await create("kept");
    const { code, err } = await edited("edit cm kept", 'sed -i "s/^kind: .*/kind: Nothing/" $1');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/\nerror: Edit cancelled, no valid changes were saved\.\n$/),
    ]);
    const file = /A copy of your changes has been stored to "(.*)"\n/.exec(err)![1]!;
    expect(readFileSync(file, "utf8")).toContain("kind: Nothing");
    rmSync(dirname(file), { recursive: true });
  });
});
