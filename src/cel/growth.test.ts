// Every overload of every library over inputs made to hurt: twice the input takes about twice the time and memory, and
// called again and again it is stopped before it holds the process for long. Libraries bring their overloads
// here by themselves; a type that this test cannot make a value of fails it.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { apiEnvironment, apiLibraries, authorizerTypes, authorizerValue } from "./api-environment.ts";
import type { Overload } from "./declarations.ts";
import { CelError, formatIssues } from "./errors.ts";
import { PER_CALL_COST_LIMIT } from "./limits.ts";
import { LiteralMap } from "./operations/maps.ts";
import type { Program } from "./program.ts";
import { CelType, firstParam, INT, isOptionalType, listOf, secondParam } from "./types.ts";
import {
  CelDouble,
  CelDuration,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
  listSize,
} from "./values.ts";

const NAMESPACE = "kubernetes";
const options = { minor: 34, namespace: NAMESPACE, authorizerSelectors: true, jsonPatch: true, bindings: true };
const types = authorizerTypes(NAMESPACE);
const authorizer = authorizerValue(types, { check: () => ({ allowed: true, reason: "because" }) });

type Shape = (length: number) => string;

const same: Shape = (length) => "a".repeat(length);
/** Texts that searching, splitting, matching, parsing and printing may stumble over. */
const SHAPES: readonly Shape[] = [
  same,
  (length) => `x${" ".repeat(length)}x`,
  (length) => "9".repeat(length),
  (length) => "\u{1f600}".repeat(length / 2),
  (length) => 'a.-/,"Aé'.repeat(length / 8),
  (length) => "%s".repeat(length / 2),
];
/** What they are searched for, split at, replaced by. */
const OTHER_SHAPES: readonly Shape[] = [
  same,
  (length) => `${"a".repeat(length / 2)}b`,
  (length) => `b${"a".repeat(length / 2)}`,
  () => "^(a|aa)+$",
  () => "",
];

/** Values that only functions make are written. */
const WRITTEN = new Map([
  [`${NAMESPACE}.URL`, "url('https://example.com:80/p?q=1')"],
  [`${NAMESPACE}.Quantity`, "quantity('1.5Gi')"],
  [`${NAMESPACE}.Semver`, "semver('1.2.3')"],
  [`${NAMESPACE}.NamedFormat`, "format.named('qualifiedName').value()"],
  ["net.IP", "ip('fe80::1')"],
  ["net.CIDR", "cidr('2001:db8::/32')"],
  [types.authorizer.name, "authorizer"],
  [types.pathCheck.name, "authorizer.path('/x')"],
  [types.groupCheck.name, "authorizer.group('g')"],
  [types.resourceCheck.name, "authorizer.group('g').resource('r')"],
  [types.decision.name, "authorizer.path('/x').check('get')"],
]);

const SCALARS: ReadonlyMap<string, CelValue> = new Map<string, CelValue>([
  ["int", 2],
  ["uint", new CelUint(2)],
  ["double", new CelDouble(1.5)],
  ["bool", true],
  ["null", null],
  ["timestamp", new CelTimestamp(1_700_000_000, 0)],
  ["duration", new CelDuration(90, 0)],
  ["type", INT],
]);

/** About as large as the size says, all parts together. */
function valueOfType(type: CelType, size: number, shape: Shape): CelValue {
  const scalar = SCALARS.get(type.kind);
  if (scalar !== undefined) return scalar;
  if (type.kind === "string") return shape(size);
  if (type.kind === "bytes") return new Uint8Array(Buffer.from(shape(size)));
  if (type.kind === "list") {
    const count = Math.floor(size / 8);
    // Different numbers and texts, so that nothing is found early.
    if (firstParam(type).kind === "int") return Array.from({ length: count }, (_, index) => index);
    if (firstParam(type).kind === "string") return Array.from({ length: count }, (_, index) => shape(8) + index);
    return Array.from({ length: count }, () => valueOfType(firstParam(type), 16, shape));
  }
  if (type.kind === "map") {
    const entries = Array.from({ length: Math.floor(size / 16) }, (_, index): [CelValue, CelValue] => [
      firstParam(type).kind === "int" ? index : `${shape(8)}${index}`,
      valueOfType(secondParam(type), 8, shape),
    ]);
    return LiteralMap.of(entries);
  }
  if (isOptionalType(type)) return new CelOptional(valueOfType(firstParam(type), size, shape));
  throw new Error(`no value of type ${type.name}: tell this test how to make one`);
}

/** Calls that only macros write. */
const BY_MACRO: [name: RegExp, render: (args: readonly string[]) => string][] = [
  [/^@not_strictly_false$/, ([value]) => `[1].all(x, ${value})`],
  [/^@sortByAssociatedKeys$/, ([, keys]) => `${keys}.sortBy(x, x)`],
  [/^cel\.@mapInsert$/, ([map]) => `${map}.transformMap(k, v, v)`],
];

function render(name: string, overload: Overload, args: readonly string[]): string {
  for (const [pattern, byMacro] of BY_MACRO) if (pattern.test(name)) return byMacro(args);
  if (overload.member) return `${args[0]}.${name}(${args.slice(1).join(", ")})`;
  if (name === "@in") return `(${args.join(" in ")})`;
  if (!/^[!-]?_|^_/.test(name)) return `${name}(${args.join(", ")})`;
  let next = 0;
  return `(${name.replaceAll("_", () => `(${args[next++]})`)})`;
}

const TURNS = Array.from({ length: 100_000 }, (_, index) => index);
/** Enough for what has no size to show what it takes. */
const FEWER_TURNS = TURNS.slice(0, 20_000);
const KEYS = new Set(["index_map", "optional_map_index_value", "map_optindex_optional_value", "in_map"]);

/** One overload, called once and again and again with variables for its arguments. */
class Subject {
  readonly #params: readonly CelType[];
  readonly once: Program;
  readonly often: Program;

  constructor(name: string, overload: Overload) {
    // What may be anything is a list of numbers; keys of maps are numbers.
    const anything = KEYS.has(overload.id) || overload.id.includes("optindex") ? INT : listOf(INT);
    this.#params = overload.params.map((type) => concrete(type, anything));
    const environment = apiEnvironment(options).withVariables([
      { name: "authorizer", type: types.authorizer },
      { name: "turns", type: listOf(INT) },
      ...this.#params.map((type, index) => ({ name: `a${index}`, type, adapt: (raw: unknown) => raw as CelValue })),
    ]);
    const call = render(
      name,
      overload,
      this.#params.map((type, index) => WRITTEN.get(type.name) ?? `a${index}`),
    );
    const compile = (text: string): Program => {
      const compiled = environment.compile(text);
      if (!compiled.ok) throw new Error(`${text}\n${formatIssues(compiled.issues)}`);
      return compiled.program;
    };
    this.once = compile(call);
    this.often = compile(`turns.exists(turn, type(${call}) == dyn(turn))`);
  }

  /** Every shape for the first text, with every one for the others. */
  shapes(): readonly (readonly Shape[])[] {
    const texts = this.#params.filter(holdsText).length;
    if (texts === 0) return [[same]];
    if (texts === 1) return SHAPES.map((shape) => [shape]);
    return SHAPES.flatMap((first) => OTHER_SHAPES.map((other) => [first, other]));
  }

  arguments(size: number, shapes: readonly Shape[]): Record<string, unknown> {
    const turns = this.#params.some(hasSize) ? TURNS : FEWER_TURNS;
    const activation: Record<string, unknown> = { authorizer, turns };
    let text = 0;
    for (const [index, type] of this.#params.entries()) {
      const shape = shapes[Math.min(text, shapes.length - 1)] as Shape;
      if (holdsText(type)) text++;
      if (!WRITTEN.has(type.name)) activation[`a${index}`] = valueOfType(type, size, shape);
    }
    return activation;
  }
}

function concrete(type: CelType, anything: CelType): CelType {
  if (type.kind === "param" || type.kind === "dyn") return anything;
  if (type.params.length === 0) return type;
  return new CelType(
    type.kind,
    type.name,
    type.params.map((param) => concrete(param, anything)),
  );
}

function hasSize(type: CelType): boolean {
  return holdsText(type) || ["list", "map"].includes(type.kind) || type.params.some(hasSize);
}

function holdsText(type: CelType): boolean {
  return type.kind === "string" || type.kind === "bytes" || type.params.some(holdsText);
}

const subjects = apiLibraries(options).flatMap((library) =>
  (library.functions ?? []).flatMap(({ name, overloads }) =>
    overloads.map((overload) => ({ title: `${library.name}: ${name} (${overload.id})`, name, overload })),
  ),
);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

interface Run {
  readonly cpuMs: number;
  readonly bytes: number;
  /** The size of the result: what is printed or copied must be made. */
  readonly made: number;
  readonly stopped: boolean;
}

/** Time of this process, so that others who are busy do not count. */
function run(program: Program, activation: Record<string, unknown>, costLimit = PER_CALL_COST_LIMIT): Run {
  const heap = process.memoryUsage();
  const start = process.cpuUsage();
  const result = program.evaluate(activation, { costLimit });
  const cpuMs = cpuMsSince(start);
  const after = process.memoryUsage();
  const bytes = after.heapUsed - heap.heapUsed + (after.external - heap.external);
  const stopped = result instanceof CelError && result.code === "costLimit";
  return { cpuMs, bytes, made: sizeOfResult(result), stopped };
}

/** The kernel splits short times as it likes: only user and system together are exact. */
function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

function sizeOfResult(value: CelValue): number {
  if (typeof value === "string") return value.length;
  return isList(value) ? listSize(value) * 8 : 0;
}

/** Small enough for what is quadratic to end, large enough for what is linear to be seen. */
const SIZES = [8_192, 65_536];
/** Shorter times and smaller amounts say nothing. */
const MEASURABLE_MS = 20;
const MEASURABLE_BYTES = 32 * 1024 * 1024;
const MAX_GROWTH = 2.5;
const ATTEMPTS = 6;

/** Undefined when twice the input takes no more than so many times as much. */
function growthProblem(subject: Subject, shapes: readonly Shape[]): string | undefined {
  const size = SIZES.find((each) => run(subject.once, subject.arguments(each, shapes)).cpuMs > MEASURABLE_MS);
  if (size === undefined) return undefined;
  let problem: string | undefined;
  // Engines take another way for long texts, and collect more garbage; what really grows does so again and again.
  for (const larger of [size, 2 * size, 4 * size]) {
    problem = growthFrom(subject, shapes, larger);
    if (problem === undefined) return undefined;
  }
  return problem;
}

function growthFrom(subject: Subject, shapes: readonly Shape[], size: number): string | undefined {
  const [small, large] = [subject.arguments(size, shapes), subject.arguments(2 * size, shapes)];
  let best: Growth = { once: EVER, twice: EVER };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    collectGarbage();
    const once = run(subject.once, small);
    collectGarbage();
    const twice = run(subject.once, large);
    if (twice.stopped) return undefined;
    best = { once: leastOf(best.once, once), twice: leastOf(best.twice, twice) };
    if (isModest(best, size)) return undefined;
  }
  return `${shapes.map((shape) => shape(10)).join(" ")} of ${size}: ${JSON.stringify(best)}`;
}

interface Growth {
  readonly once: Run;
  readonly twice: Run;
}

const EVER: Run = { cpuMs: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, made: 0, stopped: false };

function leastOf(a: Run, b: Run): Run {
  return { ...b, cpuMs: Math.min(a.cpuMs, b.cpuMs), bytes: Math.min(a.bytes, b.bytes) };
}

function isModest({ once, twice }: Growth, size: number): boolean {
  const allowed = (MAX_GROWTH / 2) * ((4 * size + twice.made) / (2 * size + once.made));
  const quick = twice.cpuMs < 2 * MEASURABLE_MS || twice.cpuMs / once.cpuMs < allowed;
  return quick && (twice.bytes < MEASURABLE_BYTES || twice.bytes / once.bytes < allowed);
}

/** The shapes that are worth a loop: those over which one call takes longest. */
function slowest(subject: Subject): readonly Shape[] {
  const timed = subject.shapes().map((shapes) => {
    const activation = subject.arguments(HOLD_SIZE, shapes);
    const times = [1, 2].map(() => {
      const start = performance.now();
      subject.once.evaluate(activation);
      return performance.now() - start;
    });
    return { shapes, ms: Math.min(...times) };
  });
  return timed.reduce((a, b) => (b.ms > a.ms ? b : a)).shapes;
}

/** A part of what an evaluation may spend is enough to see how long a unit takes. */
const HOLD_COST = PER_CALL_COST_LIMIT / 16;

const plainLoop = (() => {
  const environment = apiEnvironment(options).withVariables([{ name: "turns", type: listOf(INT) }]);
  const compiled = environment.compile("turns.all(x, turns.all(y, x != y || x == y))");
  if (!compiled.ok) throw new Error("does not compile");
  return compiled.program;
})();

/** What the quickest of loops takes for it, as the machine is at this moment. */
function plainMs(): number {
  const start = process.cpuUsage();
  plainLoop.evaluate({ turns: TURNS }, { costLimit: PER_CALL_COST_LIMIT });
  return cpuMsSince(start) / (PER_CALL_COST_LIMIT / HOLD_COST);
}

/**
 * The longest that an evaluation may hold the process, and how much longer a unit of cost may take than in that loop.
 * Tests run code as it is written, file by file: calls between files take several times as long as when bundled.
 */
const MAX_HOLD_MS = 20;
const MAX_TIMES_PLAIN = 250;
const HOLD_SIZE = 32_768;

function holdProblem(subject: Subject, shapes: readonly Shape[]): string | undefined {
  const activation = subject.arguments(HOLD_SIZE, shapes);
  const seen: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const held = run(subject.often, activation, HOLD_COST).cpuMs;
    if (held < MAX_HOLD_MS) return undefined;
    const plain = plainMs();
    if (held < MAX_HOLD_MS + MAX_TIMES_PLAIN * plain) return undefined;
    seen.push(`${held} ms, where plain work takes ${plain} ms`);
  }
  return `${shapes.map((shape) => shape(10)).join(" ")}: ${seen.join("; ")}`;
}

describe("twice the input takes about twice as much", () => {
  it.each(subjects)("$title", { timeout: 60_000 }, ({ name, overload }) => {
    const subject = new Subject(name, overload);
    expect(subject.shapes().flatMap((shapes) => growthProblem(subject, shapes) ?? [])).toEqual([]);
  });
});

describe("calls without end are stopped", () => {
  it.each(subjects)("$title", { timeout: 60_000 }, ({ name, overload }) => {
    const subject = new Subject(name, overload);
    expect(holdProblem(subject, slowest(subject))).toBeUndefined();
  });
});
