// Long YAML is read and written in a thread as it would be here, and what the thread cannot do is said.

import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Json } from "../../base/json.ts";
import { encodeJsonPlain } from "../../codec/json.ts";
import { decodeYaml, encodeYaml } from "../../codec/yaml.ts";
import { configMap } from "../../kinds/core/config-map.ts";
import { decodeBytes, type EncodedBody, encodedBody } from "./decode-bytes.ts";
import { LONG_YAML_BYTES, LongYaml } from "./long-yaml.ts";
import { yamlThreadOfSources } from "./yaml-thread.testing.ts";

const yaml = new LongYaml({ clock: systemClock, program: yamlThreadOfSources });
const here = new LongYaml({ clock: systemClock, program: () => undefined });
afterAll(() => yaml.close());

const LONG = "#".padEnd(LONG_YAML_BYTES, " long");
const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: v\n`).join("");

/** Every rule of reading, behind a comment that makes the text long. */
const TEXTS: readonly [string, string][] = [
  [
    "words and numbers",
    "a: yes\nb: 010\nc: 1.0\nd: 1e3\ne: -0\nf: 18446744073709551615\ng: 1e300\nh: 2001-01-01\ni: ~",
  ],
  ["keys of other types", "1: a\ntrue: b\n1.5: c\n__proto__: d\n"],
  ["repeated keys", "a: 1\nb: 2\na: 3\nb: 4\n"],
  ["anchors and merges", "x: &x {a: 1}\ny: *x\nz: {<<: *x, b: 2}\n"],
  ["text in all its forms", "a: \"\\u00e9\\ud83d\\ude00\"\nb: |\n  x\n  y\nc: >-\n  x\n  y\nd: 'it''s'\n"],
  ["JSON", '{"a":[1,2,{"b":null}]}'],
  ["nothing", ""],
  ["a list", "- a\n- b\n"],
  ["aliases without measure", `a: &a [${"x,".repeat(60)}]\nb: &b [${"*a,".repeat(60)}]\nc: &c [${"*b,".repeat(60)}]\n`],
  ["an anchor that nobody has set", "a: *b\n"],
  ["a number that JSON lacks", "a: .inf\n"],
  ["a tab", "a:\n\t- b\n"],
  ["an open list", "a: [1,\n"],
  ["a key that is no text", "? [a]\n: b\n"],
  ["a map of too many keys", keys(64 * 1024 + 1)],
  ["too many values", `a: [${"1,".repeat(128 * 1024)}]`],
];

describe("long YAML that comes in", () => {
  it.each(TEXTS)("is what it is here: %s", async (_, text) => {
    const bytes = Buffer.from(`${text}\n${LONG}`);
    const read = async (by: LongYaml) => {
      const body = await encodedBody(by, bytes, "yaml");
      expect(body.longYaml).toBeDefined();
      return found(body);
    };
    const direct = outcome(async () => found({ bytes, mediaType: "yaml" }));
    expect(await outcome(() => read(yaml))).toEqual(await direct);
    expect(await outcome(() => read(here))).toEqual(await direct);
  });

  it("is read anew by everybody who decodes it", async () => {
    const body = await encodedBody(yaml, Buffer.from(`a: {b: c}\n${LONG}`), "yaml");
    const [one, other] = [decodeBytes(body, configMap.schema), decodeBytes(body, configMap.schema)];
    expect(one).toEqual(other);
    expect(one.value).not.toBe(other.value);
  });

  it("goes to no thread when it is short", async () => {
    expect(await encodedBody(yaml, Buffer.from("a: b"), "yaml")).toEqual({
      bytes: Buffer.from("a: b"),
      mediaType: "yaml",
    });
  });
});

describe("long YAML that goes out", () => {
  it.each<[string, Json]>([
    ["an object", { b: [1, "yes", "x: y", null, { c: [] }], a: { z: 1.5, y: 2n ** 63n }, text: "line\nline\n" }],
    ["a list", [{ a: 1 }, { b: 2 }]],
  ])("is what it is here: %s", async (_, value) => {
    const written = await yaml.write(encodeJsonPlain(value));
    expect(Buffer.from(written).toString()).toBe(Buffer.from(encodeYaml(value)).toString());
    expect(decodeYaml(written).value).toEqual(value);
  });
});

describe("a thread that cannot do its work", () => {
  it("tells others to come again while more than 64 MiB wait for it", async () => {
    const silent = new LongYaml({ clock: systemClock, program: () => "setInterval(() => {}, 1_000)" });
    const waiting = Array.from({ length: 64 }, () => silent.write(new Uint8Array(1024 * 1024)).catch(() => "closed"));
    await expect(silent.read(Buffer.from(LONG))).rejects.toMatchObject({ code: 429 });
    silent.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["closed"]));
  });

  it.each([
    ["process.exit(1)", 500],
    ['throw Object.assign(new Error(), { code: "ERR_WORKER_OUT_OF_MEMORY" })', 413],
  ])("is an error with a status: %s", async (deed, code) => {
    const program = () => `require("node:worker_threads").parentPort.on("message", () => { ${deed} })`;
    const broken = new LongYaml({ clock: systemClock, program });
    await expect(broken.read(Buffer.from(LONG))).rejects.toMatchObject({ code });
    broken.close();
  });
});

function found(body: EncodedBody) {
  const { value, duplicates } = decodeBytes(body, configMap.schema);
  return { value, duplicates };
}

async function outcome(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    return { error: (error as Error).constructor.name, message: (error as Error).message };
  }
}
