// What expressions cost: typical rules over an object, compiled once, as ratios against the same test written by hand in
// JavaScript and measured in the same run. Other libraries for the language take part when they are installed.

import { apiEnvironment } from "../src/cel/api-environment.ts";
import { type CelSchema, declareSchema, schemaVariable } from "../src/cel/schema-types.ts";

const ROUNDS = 15;
const MICROSECONDS_PER_ROUND = 20_000;

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
    ["numbers", { type: "array", maxItems: 100, items: integer }],
    ["ports", { type: "array", maxItems: 100, items: item }],
  ]),
};

interface Sample {
  replicas: number;
  maxReplicas: number;
  name: string;
  numbers: number[];
  ports: { name: string; port: number }[];
}

const self: Sample = JSON.parse(
  JSON.stringify({
    replicas: 3,
    maxReplicas: 5,
    name: "xyz",
    numbers: Array.from({ length: 100 }, (_, index) => index),
    ports: Array.from({ length: 100 }, (_, index) => ({ name: `p${index}`, port: 1000 + index })),
  }),
);

const declaration = declareSchema(schema, "self");
if (declaration === undefined) throw new Error("the schema has a type");
const environment = apiEnvironment({ minor: 34, namespace: "kubernetes" }).withVariables(
  [schemaVariable("self", declaration)],
  declaration.structs,
);

const rules: [rule: string, byHand: (object: Sample) => boolean, goalMicroseconds: number][] = [
  [
    "self.replicas <= self.maxReplicas && self.name.startsWith('x')",
    (object) => object.replicas <= object.maxReplicas && object.name.startsWith("x"),
    1,
  ],
  ["self.numbers.all(n, n >= 0)", (object) => object.numbers.every((number) => number >= 0), 20],
  ["self.ports.all(p, p.port < 65536)", (object) => object.ports.every((port) => port.port < 65536), 20],
  ["self.ports.exists(p, p.name == 'p99')", (object) => object.ports.some((port) => port.name === "p99"), 20],
  ["self.ports.map(p, p.port).sum() > 0", (object) => object.ports.reduce((sum, port) => sum + port.port, 0) > 0, 20],
  ["self.name.matches('^[a-z]+$')", (object) => /^[a-z]+$/.test(object.name), 1],
];

const others = await otherLibraries();
for (const [rule, byHand, goal] of rules) {
  const compiled = environment.compile(rule);
  if (!compiled.ok) throw new Error(rule);
  const { program } = compiled;
  if (program.evaluate({ self }) !== byHand(self)) throw new Error(`wrong answer: ${rule}`);
  const runs = [() => program.evaluate({ self }), () => byHand(self), ...others.map((other) => other.prepare(rule))];
  const [own = 0, hand = 0, ...theirs] = best(runs);
  const compared = theirs.map((found, index) => `, ${others[index]?.name} ${found.toFixed(2)} us`).join("");
  console.log(`${rule.padEnd(64)} ${own.toFixed(2)} us (goal ${goal}); by hand ${hand.toFixed(2)} us${compared}`);
}

let serial = 0;
const [compile = 0] = best([
  () => environment.compile(`self.replicas <= self.maxReplicas && self.name == 'x${serial++}'`),
]);
console.log(`${"compile a rule".padEnd(64)} ${compile.toFixed(1)} us (goal 200)`);

interface OtherLibrary {
  readonly name: string;
  prepare(rule: string): () => unknown;
}

/** The two fastest public libraries, where somebody has installed them beside the project. */
async function otherLibraries(): Promise<OtherLibrary[]> {
  const found: OtherLibrary[] = [];
  const load = async (name: string): Promise<Record<string, unknown> | undefined> => {
    try {
      return (await import(name)) as Record<string, unknown>;
    } catch {
      console.log(`${name} is not installed and left out`);
      return undefined;
    }
  };
  const marc = await load("@marcbachmann/cel-js");
  if (typeof marc?.["parse"] === "function") {
    const parse = marc["parse"] as (rule: string) => (context: unknown) => unknown;
    found.push({
      name: "@marcbachmann/cel-js",
      prepare: (rule) => {
        const program = parse(rule);
        return () => program({ self });
      },
    });
  }
  const buf = await load("@bufbuild/cel");
  if (typeof buf?.["run"] === "function" && typeof buf["plan"] === "function" && typeof buf["celEnv"] === "function") {
    const plan = buf["plan"] as (env: unknown, expr: unknown) => (context: unknown) => unknown;
    const parse = buf["parse"] as (rule: string) => unknown;
    const env = (buf["celEnv"] as () => unknown)();
    found.push({
      name: "@bufbuild/cel",
      prepare: (rule) => {
        const program = plan(env, parse(rule));
        return () => program({ self });
      },
    });
  }
  return found;
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
