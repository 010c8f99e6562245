// What stands in files, and how errors name the place.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliServer, startCliServer } from "./cli.testing.ts";
import { readManifests } from "./read-manifests.ts";

const read = (text: string) =>
  readManifests({ names: ["-"], recursive: false, readInput: async () => Buffer.from(text) });
const json = (name: string) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }, null, 2);
const yaml = (name: string, more = "") => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

describe("files of objects", () => {
  it("hold JSON objects one after the other, as filters write them", async () => {
    const text = `${json("a")}\n${json("b")}${json('c"}{')}\n---\n${json("d")}\n`;
    const manifests = await read(text);
    expect(manifests.map(({ object, line }) => [(object["metadata"] as { name: string }).name, line])).toEqual([
      ["a", 1],
      ["b", 8],
      ['c"}{', 14],
      ["d", 22],
    ]);
  });

  it.each([
    ["UTF-8", Buffer.from(yaml("é"))],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${yaml("é")}`)],
    ["UTF-16 of small machines", Buffer.from(`\ufeff${yaml("é")}`, "utf16le")],
    ["UTF-16 of large machines", Buffer.from(`\ufeff${yaml("é")}`, "utf16le").swap16()],
  ])("may be in %s", async (_encoding, bytes) => {
    const manifests = await readManifests({ names: ["-"], recursive: false, readInput: async () => bytes });
    expect(manifests).toMatchObject([{ kind: "ConfigMap", object: { metadata: { name: "é" } }, line: 1 }]);
  });

  it.each<[what: string, text: string, message: string]>([
    ["of YAML", `${yaml("a")}---\n${yaml("b", " labels: x\n")}`, "standard input: yaml: line 10: "],
    [
      "of JSON that goes on with something else",
      `${json("a")}\nand more\n`,
      "standard input, line 8: an object is expected",
    ],
    ["of JSON that is not closed", `${json("a")}\n{"b": [\n`, "standard input: yaml: line 9: "],
    ["of braces that were never opened", "{}}}\n", "standard input: yaml: line 1: "],
    ["without a kind", `${yaml("a")}---\napiVersion: v1\n`, "standard input, line 6: kind is not set"],
    ["that are no objects", `${yaml("a")}---\n# text\ntext\n`, "standard input, line 7: an object is expected"],
    ["alone", "apiVersion: v1\n", "standard input: kind is not set"],
  ])("are refused with the line of documents %s", async (_what, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

describe("pctl with files", () => {
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer("platform");
  });
  afterAll(() => server.close());

  it("says which of several objects the server refuses", async () => {
    const file = server.write("several.yaml", `${yaml("a")}---\n${yaml("b", "data: {k: 1}\n")}---\n${yaml("c")}`);
    for (const [command, done] of [
      ["create", "created"],
      ["apply", "serverside-applied"],
      ["replace", "replaced"],
    ]) {
      const { code, out, err } = await server.run(`${command} -f ${file}`);
      expect([code, out]).toEqual([1, `configmap/a ${done}\nconfigmap/c ${done}\n`]);
      expect(err).toMatch(new RegExp(`^Error from server \\((BadRequest|NotFound)\\): ${file}, line 6: `));
    }
  });

  it.each(["apply", "create", "delete", "get", "diff"])("fails to %s a folder without objects", async (command) => {
    mkdirSync(join(server.folder, "none/inner"), { recursive: true });
    server.write("none/notes.txt", "nothing");
    const { code, out, err } = await server.run(`${command} -f ${server.folder}/none`);
    expect({ out, err }).toEqual({
      out: "",
      err: `error: ${server.folder}/none has no files that end in .json, .yaml, .yml\n`,
    });
    expect(code).toBe(command === "diff" ? 2 : 1);
  });
});
