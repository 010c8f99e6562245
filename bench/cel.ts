// What expressions cost: typical rules over an object, evaluated and compiled, as ratios against the two fastest public
// libraries for the language and against the same test written by hand in JavaScript, all measured in the same run.

import { atOnce } from "../src/base/steps.ts";
import { apiEnvironment } from "../src/cel/api-environment.ts";
import { MAX_CACHED_PROGRAMS } from "../src/cel/limits.ts";
import { type CelSchema, declareSchema, schemaVariable } from "../src/cel/schema-types.ts";
import { DYN } from "../src/cel/types.ts";
import { otherLibraries } from "./cel-libraries.ts";
import { type Figures, report } from "./report.ts";

const ROUNDS = 8;
const MICROSECONDS_PER_ROUND = 20_000;
const WARM_UP_ROUNDS = 200;
/** Makes texts that were never seen before. */
let serial = 0;

const text: CelSchema = { type: "string", maxLength: 64 };
const integer: CelSchema = { type: "integer" };
const item: CelSchema = {
  type: "object",
  properties: new Map([
    ["name", text],
    ["port", integer],
  ]),
};
const schema: CelSchema = {
  type: "object",
  properties: new Map<string, CelSchema>([
    ["replicas", integer],
    ["maxReplicas", integer],
    ["name", text],
    ["labels", { type: "object", maxProperties: 10, additionalProperties: text }],
    ["numbers", { type: "array", maxItems: 100, items: integer }],
    ["ports", { type: "array", maxItems: 100, items: item }],
  ]),
};

interface Sample {
  replicas: number;
  maxReplicas: number;
  name: string;
  labels: Record<string, string>;
  numbers: number[];
  ports: { name: string; port: number }[];
}

const self: Sample = JSON.parse(
  JSON.stringify({
    replicas: 3,
    maxReplicas: 5,
    name: "xyz",
    labels: { app: "web", tier: "front" },
    numbers: Array.from({ length: 100 }, (_, index) => index),
    ports: Array.from({ length: 100 }, (_, index) => ({ name: `p${index}`, port: 1000 + index })),
  }),
);

const declaration = atOnce(declareSchema(schema, "self"));
if (declaration === undefined) throw new Error("the schema has a type");
const base = apiEnvironment({ minor: 34, namespace: "kubernetes" });
const typed = base.withVariables([schemaVariable("self", declaration)], declaration.structs);
const dynamic = base.withVariables([{ name: "self", type: DYN }]);

type Rule = [rule: string, byHand: (object: Sample) => boolean];

const SHORT_GOAL = 1;
const shortRules: Rule[] = [
  [
    "self.replicas <= self.maxReplicas && self.name.startsWith('x')",
    (object) => object.replicas <= object.maxReplicas && object.name.startsWith("x"),
  ],
  ["self.replicas > 2 ? self.name == 'xyz' : false", (object) => (object.replicas > 2 ? object.name === "xyz" : false)],
  ["size(self.name) <= 63", (object) => object.name.length <= 63],
  ["self.name in ['abc', 'def', 'xyz']", (object) => ["abc", "def", "xyz"].includes(object.name)],
  [
    "has(self.labels.app) && self.labels['app'] == 'web'",
    (object) => Object.hasOwn(object.labels, "app") && object.labels["app"] === "web",
  ],
  [
    "self.name + '-' + self.labels.app == 'xyz-web'",
    (object) => `${object.name}-${object.labels["app"]}` === "xyz-web",
  ],
  ["self.name.matches('^[a-z]+$')", (object) => /^[a-z]+$/.test(object.name)],
];
const LIST_GOAL = 20;
const listRules: Rule[] = [
  ["self.numbers.all(n, n >= 0)", (object) => object.numbers.every((number) => number >= 0)],
  ["self.ports.all(p, p.port < 65536)", (object) => object.ports.every((port) => port.port < 65536)],
  [
    "self.ports.all(p, p.port > 0 && p.port < 65536)",
    (object) => object.ports.every((port) => port.port > 0 && port.port < 65536),
  ],
  ["self.ports.exists(p, p.name == 'p99')", (object) => object.ports.some((port) => port.name === "p99")],
  [
    "self.ports.filter(p, p.port > 1050).size() == 49",
    (object) => object.ports.filter((port) => port.port > 1050).length === 49,
  ],
  ["self.ports.map(p, p.port).size() == 100", (object) => object.ports.map((port) => port.port).length === 100],
];

for (const [rules, goal] of [
  [shortRules, SHORT_GOAL],
  [listRules, LIST_GOAL],
] as const) {
  for (const [rule, byHand] of rules) compareEvaluation(rule, byHand, goal);
}
warmUp([...shortRules, ...listRules]);
for (const [rule] of [...shortRules, ...listRules]) compareCompiling(rule);

function compareEvaluation(rule: string, byHand: Rule[1], goal: number): void {
  const programs = [typed, dynamic].map((environment) => {
    const compiled = environment.compile(rule);
    if (!compiled.ok) throw new Error(rule);
    return () => compiled.program.evaluate({ self });
  });
  const others = otherLibraries.map((library) => {
    const evaluate = library.compile(rule);
    return () => evaluate(self);
  });
  const runs = [...programs, ...others, () => byHand(self)];
  if (runs.some((run) => run() !== true)) throw new Error(`wrong answer: ${rule}`);
  const found = best(runs);
  const [own = 0, dyn = 0] = found;
  const hand = found.at(-1) ?? 0;
  const figures = { "us typed": own, "us dynamic": dyn, "us by hand": hand, ...ratios(found.slice(2, -1), own) };
  report(`evaluate ${rule}`, figures, { "us typed": goal });
}

/** Some libraries plan while they compile and some when they first run, so both are shown: alone, and with one run. */
function compareCompiling(rule: string): void {
  const alone = best(compilers(rule).map((compile) => () => compile()));
  const withRun = best(compilers(rule).map((compile) => () => compile()(self)));
  const [own = 0, ...theirs] = alone;
  const [first = 0, ...theirFirst] = withRun;
  report(`compile ${rule}`, { us: own, ...ratios(theirs, own) }, { us: 200 });
  report(`compile and run once ${rule}`, { us: first, ...ratios(theirFirst, first) });
}

/** How many times as long the other libraries take. */
function ratios(theirs: readonly number[], own: number): Figures {
  return Object.fromEntries(theirs.map((time, index) => [`times in ${otherLibraries[index]?.name}`, time / own]));
}

/** Each compiles a text never seen before, so that no cache answers. Ours keeps programs; so does who uses the others. */
function compilers(rule: string): (() => (object: unknown) => unknown)[] {
  const fresh = (): string => `${rule} || self.name == 'n${serial++}'`;
  const own = (): ((object: unknown) => unknown) => {
    const compiled = typed.compile(fresh());
    if (!compiled.ok) throw new Error(rule);
    return (object) => compiled.program.evaluate({ self: object });
  };
  const others = otherLibraries.map((library) => {
    const kept: unknown[] = [];
    return () => {
      const program = library.compile(fresh());
      kept[serial % MAX_CACHED_PROGRAMS] = program;
      return program;
    };
  });
  return [own, ...others];
}

/** Compilers are large: the first rounds of them would measure the engine's. */
function warmUp(rules: readonly Rule[]): void {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const [rule] of rules) for (const compile of compilers(rule)) compile()(self);
  }
}

/** Rounds of all alternate, and the best of each counts: what others do on the machine only ever adds. Microseconds. */
function best(runs: readonly (() => unknown)[]): number[] {
  const counts = runs.map((run) => {
    let count = 1;
    while (cpu(run, count) * count < MICROSECONDS_PER_ROUND && count < 1 << 20) count *= 2;
    return count;
  });
  const found = runs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    runs.forEach((run, index) => {
      found[index] = Math.min(found[index] ?? 0, cpu(run, counts[index] ?? 1));
    });
  }
  return found;
}

function cpu(run: () => unknown, count: number): number {
  const start = process.cpuUsage();
  for (let index = 0; index < count; index++) run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}
