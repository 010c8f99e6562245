// Which stage of the write path a sample of V8's profiler belongs to: the innermost function of the stack that is one.

import type { Profiler } from "node:inspector/promises";

type Frame = Profiler.ProfileNode["callFrame"];
type StageOf = (frame: Frame) => string | undefined;

/** Files of each stage, as beginnings of their paths. The first that fits counts. */
const STAGES: readonly (readonly [stage: string, files: readonly string[]])[] = [
  ["decode", ["src/registry/decode-body", "src/registry/encoding/decode-bytes", "src/codec/"]],
  ["conform", ["src/schema/conform", "src/schema/shape", "src/schema/check"]],
  ["default", ["src/schema/default"]],
  ["manage fields", ["src/patch/", "src/registry/field-managers", "src/registry/other-versions"]],
  ["admit", ["src/registry/admission", "src/admission/"]],
  ["validate", ["src/registry/metadata", "src/kinds/", "src/schema/", "src/meta/"]],
  ["encode", ["src/registry/object-bytes", "src/registry/stored-form"]],
  ["tell watchers", ["src/storage/watch-cache", "src/registry/object-mirror", "src/registry/encoding/encode-event"]],
  ["store", ["src/storage/", "src/registry/object-store"]],
  ["do the rest", ["src/registry/"]],
  [
    "pass steps",
    ["src/apiserver/", "src/authn/", "src/authz/", "src/flowcontrol/", "src/http/", "src/base/", "bench/"],
  ],
];
/** Whose work these are, says the caller: parsing and writing JSON, copying and comparing it. */
const CALLED_BY_MANY = ["src/base/json", "src/codec/json", "src/codec/json/"];
const OUTSIDE = "collect garbage";

/** For a bundle whose modules stand below comments with their paths. */
export function stageReader(bundle: string): StageOf {
  const fileOfLine: (string | undefined)[] = [];
  let file: string | undefined;
  for (const line of bundle.split("\n")) {
    file = /^\/\/ ((?:src|bench|node_modules)\/\S+)$/.exec(line)?.[1] ?? file;
    fileOfLine.push(file);
  }
  return ({ url, lineNumber, functionName }) => {
    if (functionName === "decodeStored") return "decode";
    const path = url.startsWith("file:") ? fileOfLine[lineNumber] : undefined;
    if (path === undefined || CALLED_BY_MANY.some((start) => path.startsWith(start))) return undefined;
    return STAGES.find(([, files]) => files.some((start) => path.startsWith(start)))?.[0];
  };
}

/** How much of the time each stage took, from 0 to 1, the largest first. */
export function shares(profile: Profiler.Profile, stageOf: StageOf): readonly (readonly [string, number])[] {
  const times = new Map<number, number>();
  profile.samples?.forEach((id, index) => {
    times.set(id, (times.get(id) ?? 0) + Math.max(0, profile.timeDeltas?.[index] ?? 0));
  });
  const byStage = new Map<string, number>();
  let total = 0;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const visit = (node: Profiler.ProfileNode, around: string): void => {
    const stage = stageOf(node.callFrame) ?? around;
    const time = node.callFrame.functionName === "(idle)" ? 0 : (times.get(node.id) ?? 0);
    total += time;
    byStage.set(stage, (byStage.get(stage) ?? 0) + time);
    for (const child of node.children ?? []) visit(nodes.get(child)!, stage);
  };
  visit(profile.nodes[0]!, OUTSIDE);
  return [...byStage].map(([stage, time]) => [stage, time / total] as const).sort((a, b) => b[1] - a[1]);
}
