// What the encodings cost: a Pod of 4 KiB in every one of them, as ratios against JSON.parse and JSON.stringify measured in
// the same run. The goals stand beside the figures.

import { decodeCbor, encodeCbor } from "../src/codec/cbor.ts";
import { decodeJson, decodeJsonCounting, encodeJson } from "../src/codec/json.ts";
import { decodeProtobuf, encodeProtobuf } from "../src/codec/protobuf.ts";
import { decodeYaml, encodeYaml } from "../src/codec/yaml.ts";
import { pod } from "../src/kinds/core/pod.ts";
import { conform } from "../src/schema/conform.ts";
import { report } from "./report.ts";
import { samplePod } from "./sample-pod.ts";

const WARM_UP_RUNS = 1_000;
const ROUNDS = 15;
const RUNS_PER_ROUND = 200;

const { schema } = pod;
const object = conform(samplePod, schema, { unknownFields: "collect" }).value;
const json = Buffer.from(JSON.stringify(object));
const protobuf = encodeProtobuf(object, schema);
const cbor = encodeCbor(object);
const yaml = encodeYaml(object);

const parse = (): unknown => JSON.parse(json.toString());
const stringify = (): unknown => Buffer.from(JSON.stringify(object));
report("a Pod", { "bytes of JSON": json.length, "of protobuf": protobuf.length, "of CBOR": cbor.length });

compare("JSON decode, repeated keys found", () => decodeJson(json), parse);
compare(
  "JSON decode, repeated and unknown found",
  () => {
    const { value, keys } = decodeJsonCounting(json);
    return conform(value, schema, { unknownFields: "collect", reuse: true }).keys === keys;
  },
  parse,
  2,
);
compare("JSON encode", () => encodeJson(object), stringify);
compare("protobuf decode", () => decodeProtobuf(protobuf, schema), parse, 2);
compare("protobuf encode", () => encodeProtobuf(object, schema), stringify, 2);
compare("CBOR decode", () => decodeCbor(cbor), parse);
compare("CBOR encode", () => encodeCbor(object), stringify);
compare("YAML decode", () => decodeYaml(yaml), parse);
compare("YAML encode", () => encodeYaml(object), stringify);

/** Rounds of both alternate, and the best of each counts: what others do on the machine only ever adds. */
function compare(name: string, run: () => unknown, baseline: () => unknown, goal?: number): void {
  for (let index = 0; index < WARM_UP_RUNS; index++) run();
  for (let index = 0; index < WARM_UP_RUNS; index++) baseline();
  let best = Number.POSITIVE_INFINITY;
  let bestBaseline = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    best = Math.min(best, microseconds(run));
    bestBaseline = Math.min(bestBaseline, microseconds(baseline));
  }
  const figures = { us: best, "us of the baseline": bestBaseline, "times the baseline": best / bestBaseline };
  report(name, figures, goal === undefined ? {} : { "times the baseline": goal });
}

function microseconds(run: () => unknown): number {
  const start = process.cpuUsage();
  for (let index = 0; index < RUNS_PER_ROUND; index++) run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / RUNS_PER_ROUND;
}
