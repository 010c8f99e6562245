// Evaluations that pause: what comes of them, what they cost, and how long they run at a time.

import { describe, expect, it } from "vitest";
import { ClockSlices } from "../base/slices.ts";
import { apiEnvironment } from "./api-environment.ts";
import type { CostBudget } from "./cost-budget.ts";
import { CelError } from "./errors.ts";
import { Long } from "./evaluation.ts";
import { toJson } from "./json.ts";
import { evaluateAtOnce, evaluatePausing } from "./pausing.testing.ts";
import type { Program } from "./program.ts";
import { DYN, structType } from "./types.ts";
import { CelObject, type CelValue } from "./values.ts";

const environment = apiEnvironment({ minor: 34, namespace: "kubernetes", bindings: true }).withVariables([
  { name: "self", type: DYN },
  { name: "variables", type: DYN },
]);

function programOf(text: string): Program {
  const compiled = environment.compile(text);
  if (!compiled.ok) throw new Error(`${text}: ${compiled.issues.map((issue) => issue.text).join()}`);
  return compiled.program;
}

const shown = (value: CelValue): unknown => {
  const json = toJson(value);
  return json instanceof CelError ? `${json.code}: ${json.message}` : json;
};

const self = {
  list: Array.from({ length: 12 }, (_, index) => index),
  texts: ["a", "bb", "a,b,c", "", "x-1", "x-2"],
  objects: Array.from({ length: 6 }, (_, index) => ({ name: `n${index}`, ports: [index, index + 1, 7] })),
  map: { a: 1, b: 2, c: 3 },
  long: "word ".repeat(3_000),
};

/** Each of its fields is an expression, worked out when it is first read. */
class Variables extends CelObject {
  readonly type = structType("variables");
  readonly #self: unknown;
  readonly #expressions: Readonly<Record<string, string>>;
  readonly #budget: CostBudget;
  readonly #values = new Map<string, CelValue>();
  readonly #evaluations = new Map<string, { value(): CelValue }>();

  constructor(given: unknown, expressions: Readonly<Record<string, string>>, budget: CostBudget) {
    super();
    this.#self = given;
    this.#expressions = expressions;
    this.#budget = budget;
  }

  get(name: string): CelValue | undefined {
    const text = this.#expressions[name];
    const known = this.#values.get(name);
    if (known !== undefined || text === undefined) return known;
    const begun =
      this.#evaluations.get(name) ??
      programOf(text).evaluateInside({ self: this.#self, variables: this }, { budget: this.#budget });
    this.#evaluations.set(name, begun);
    this.#values.set(name, begun.value());
    return this.#values.get(name);
  }

  equals(other: CelObject): boolean {
    return other === this;
  }
}

const EXPRESSIONS = {
  evens: "self.list.filter(x, x % 2 == 0)",
  pairs: "variables.evens.map(x, self.list.filter(y, y > x))",
  counted: "self.map.transformMap(k, v, v)",
  fails: "self.list.map(x, 1 / (x - 5))",
};

const activation = (budget: CostBudget) => ({ self, variables: new Variables(self, EXPRESSIONS, budget) });

function expectSame(text: string, costLimit?: number): number {
  const program = programOf(text);
  const whole = evaluateAtOnce(program, activation, costLimit);
  const { steps, ...paused } = evaluatePausing(program, activation, costLimit === undefined ? {} : { costLimit });
  expect({ text, ...paused, value: shown(paused.value) }).toEqual({ text, ...whole, value: shown(whole.value) });
  return steps;
}

describe("an evaluation with a pause after every turn", () => {
  it.each([
    ["self.list.all(x, x < 100)", 12],
    ["self.list.all(x, x < 3)", 5],
    ["self.list.exists(x, x == 11)", 12],
    ["self.list.exists_one(x, x == 3)", 12],
    ["self.list.map(x, x * 2)", 12],
    ["self.list.filter(x, x > 3).map(x, x + 1).size()", 20],
    ["self.list.all(x, self.list.exists(y, y == x))", 78],
    ["self.objects.all(o, o.ports.exists(p, p == 7) && self.texts.all(t, t != o.name))", 54],
    ["self.map.all(k, self.map[k] > 0) && self.map.exists(k, k == 'c')", 6],
    ["self.map.transformMap(k, v, v + 1)", 3],
    ["self.map.transformMapEntry(k, v, {string(v): self.list.filter(x, x == v)})", 36],
    ["self.list.transformList(i, v, i > 2, i * v)", 12],
    ["cel.bind(n, self.list.map(x, x * x), self.list.all(y, n.exists(z, z == y * y) && n[0] == 0))", 90],
    ["self.list.all(y, cel.bind(n, self.map.map(k, self.map[k]), y >= 0 && n.size() + n[0] + y > 0))", 36],
    ["cel.bind(a, self.list.map(x, x), self.texts.all(t, t == '' || a.all(b, b >= 0)))", 73],
    ["self.long.split(' ').map(w, w + '!').size() == self.long.split(' ').filter(w, w != 'x').size()", 6_000],
    ["self.missing.all(x, true)", 0],
    ["self.long.all(x, true)", 0],
    ["self.list.map(x, 1 / (x - 4))", 5],
    ["self.list.all(x, 1 / (x - 4) < 100)", 12],
    ["variables.evens.all(x, x in variables.evens) && self.list.all(x, x >= 0 && variables.pairs.size() == 6)", 94],
    ["self.list.all(x, x < 5 || variables.evens.size() > 0)", 18],
    ["cel.bind(n, self.list.map(x, x), n.size() > 0 && variables.pairs.size() == 6)", 50],
    ["self.long.split(' ').size() > 0 && variables.pairs.size() == 6", 50],
    ["self.list.all(x, variables.counted.size() == 3 && self.list.all(y, y >= 0))", 140],
    ["variables.counted.size() == 3 && variables.pairs.size() == 6", 50],
    ["variables.fails.size() == 0 || self.list.all(x, x < 50)", 12],
    ["self.texts.map(t, t.split(',')).map(l, l.join('-')).exists(t, t == 'a-b-c')", 14],
  ])("comes to the same value, cost and work: %s", (text, leastSteps) => {
    expect(expectSame(text)).toBeGreaterThanOrEqual(leastSteps);
  });

  it("ends at the same limit, wherever that is", () => {
    const text =
      "cel.bind(n, self.list.map(x, x), self.list.all(x, self.objects.exists(o, o.name == 'n5') && n[x] == x))";
    const { cost } = evaluateAtOnce(programOf(text), activation);
    for (let limit = 1; limit < cost / 2 + 5; limit += 17) expectSame(text, limit);
  });

  it("comes to the same for random expressions", () => {
    const random = seeded(41);
    for (let round = 0; round < 400; round += 1) expectSame(randomTest(random, 3, []));
  });
});

const big = { texts: Array.from({ length: 20_000 }, (_, index) => `text-${index}`) };

describe("an evaluation that is begun", () => {
  it("has its value at once when it is short", () => {
    expect(programOf("self.list.all(x, x < 100)").begin(activation({} as CostBudget))).toBe(true);
  });

  it("is done in steps when it is long, with the same cost and work", () => {
    const program = programOf("self.texts.all(t, t.startsWith('text')) && self.texts.exists(t, t == 'text-19999')");
    const given = () => ({ self: big });
    expect(program.begin({ self: big })).toBeInstanceOf(Long);
    const { steps, ...paused } = evaluatePausing(program, given, { begins: true });
    expect(paused).toEqual(evaluateAtOnce(program, given));
    expect(steps).toBeGreaterThan(39_000);
  });

  it("keeps what variables have done before it came to be long", () => {
    const variables = { few: "self.texts.slice(0, 100).all(t, t != '')", many: "self.texts.all(t, t != '')" };
    const given = (budget: CostBudget) => ({ self: big, variables: new Variables(big, variables, budget) });
    const program = programOf("variables.few && variables.many && [1, 2].all(x, variables.few)");
    const { steps, ...paused } = evaluatePausing(program, given, { begins: true });
    expect(paused).toEqual(evaluateAtOnce(program, given));
    expect(steps).toBeGreaterThan(19_000);
  });

  it("makes its slices as long as the clock says", () => {
    const steps = [...programOf("self.texts.all(t, t.startsWith('text'))").evaluateInSteps({ self: big })];
    expect(steps.length).toBeLessThan(100);
    const slices = new ClockSlices();
    slices.begin();
    expect(slices.over(0)).toBe(false);
  });
});

describe("one call over large values", () => {
  const keys = (last: number) =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i < 19_999 ? 1 : last]));
  const lists = (last: number) => Array.from({ length: 10_000 }, (_, i) => [i, i < 9_999 ? 1 : last]);
  const large = {
    text: "one,two-".repeat(10_000),
    ...{ keys: keys(1), sameKeys: keys(1), otherKeys: keys(2) },
    ...{ lists: lists(1), sameLists: lists(1), otherLists: lists(2) },
    numbers: Array.from({ length: 20_000 }, (_, i) => i),
    words: Array.from({ length: 20_000 }, (_, i) => `w${i}`),
  };
  it.each([
    ["self.text.split(',')", 10],
    ["self.text.split(',', 5000)", 5],
    ["self.text.split(',', 1)", 0],
    ["self.text.split(',', 0)", 0],
    ["self.text.split(',two-')", 10],
    ["self.text.split('none')", 0],
    ["self.text.replace(',', '+++')", 10],
    ["self.text.replace(',', '', 5000)", 5],
    ["self.text.replace(',', '+', 0)", 0],
    ["self.text.replace('e', self.text.replace(',', '')).size()", 10],
    ["self.keys == self.sameKeys", 20],
    ["self.keys != self.otherKeys", 20],
    ["[self.keys] == [self.otherKeys]", 20],
    ["self.lists == self.sameLists && self.lists != self.otherLists", 40],
    ["self.lists == self.sameLists.map(x, x)", 10],
    ["self.otherKeys in [self.keys, self.sameKeys] || self.sameKeys in [self.otherKeys, self.keys]", 60],
    ["sets.contains([self.keys], [self.sameKeys]) && !sets.intersects([self.keys], [self.otherKeys])", 40],
    ["sets.equivalent([self.keys], [self.sameKeys])", 40],
    ["[self.otherKeys, self.keys].indexOf(self.sameKeys)", 40],
    ["[self.keys, self.otherKeys].lastIndexOf(self.sameKeys)", 40],
    ["[self.keys, self.otherKeys, self.sameKeys].distinct().size()", 40],
    ["self.lists.flatten().size()", 20],
    ["self.lists.flatten(5).sum()", 40],
    ["self.numbers.sum() + self.numbers.min() + self.numbers.max()", 60],
    ["self.numbers.isSorted() && 3 in self.numbers && !(-1 in self.numbers)", 40],
    ["self.numbers.indexOf(19999) + self.numbers.lastIndexOf(0)", 40],
    ["self.words.join('-').size() + self.words.join().size()", 40],
    ["[dyn(1), dyn('a')].join()", 0],
    ["[1, 2].all(x, self.keys == self.sameKeys && self.text.split(',').size() == 10001)", 60],
  ])("is made part by part, with the same value, cost and work: %s", (text, leastSteps) => {
    const program = programOf(text);
    const given = () => ({ self: large });
    const { steps, ...paused } = evaluatePausing(program, given);
    const whole = evaluateAtOnce(program, given);
    expect({ ...paused, value: shown(paused.value) }).toEqual({ ...whole, value: shown(whole.value) });
    expect(steps).toBeGreaterThanOrEqual(leastSteps);
  });
});

/** Small numbers, the same ones for each seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

type Random = (below: number) => number;

const LISTS = ["self.list", "variables.evens", "self.objects.map(o, o.ports.size())", "self.map.map(k, self.map[k])"];

function randomList(random: Random, depth: number, names: readonly string[]): string {
  const name = `l${names.length}`;
  const within = [...names, name];
  switch (depth === 0 ? 0 : random(5)) {
    case 1:
      return `${randomList(random, depth - 1, names)}.filter(${name}, ${randomTest(random, depth - 1, within)})`;
    case 2:
      return `${randomList(random, depth - 1, names)}.map(${name}, ${randomNumber(random, depth - 1, within)})`;
    case 3:
      return `self.long.split(' ').slice(0, ${1 + random(4)}).map(${name}w, ${randomNumber(random, depth - 1, names)})`;
    default:
      return LISTS[random(LISTS.length)]!;
  }
}

function randomNumber(random: Random, depth: number, names: readonly string[]): string {
  const known = names.length > 0 ? names[random(names.length)]! : "3";
  switch (depth === 0 ? random(2) : random(5)) {
    case 0:
      return known;
    case 1:
      return String(random(9));
    case 2:
      return `(${randomNumber(random, depth - 1, names)} / ${randomNumber(random, depth - 1, names)})`;
    case 3:
      return `${randomList(random, depth - 1, names)}.size()`;
    default:
      return `(${randomTest(random, depth - 1, names)} ? ${known} : ${randomNumber(random, depth - 1, names)})`;
  }
}

function randomTest(random: Random, depth: number, names: readonly string[]): string {
  const name = `t${names.length}`;
  const within = [...names, name];
  const list = () => randomList(random, depth - 1, names);
  switch (depth === 0 ? 0 : random(7)) {
    case 1:
      return `${list()}.all(${name}, ${randomTest(random, depth - 1, within)})`;
    case 2:
      return `${list()}.exists(${name}, ${randomTest(random, depth - 1, within)})`;
    case 3:
      return `${list()}.exists_one(${name}, ${randomTest(random, depth - 1, within)})`;
    case 4:
      return `cel.bind(${name}, ${randomNumber(random, depth - 1, names)}, ${randomTest(random, depth - 1, within)})`;
    case 5:
      return `(${randomTest(random, depth - 1, names)} && ${randomTest(random, depth - 1, names)})`;
    case 6:
      return `(${randomTest(random, depth - 1, names)} || ${randomTest(random, depth - 1, names)})`;
    default:
      return `${randomNumber(random, 0, names)} < ${randomNumber(random, 0, names)}`;
  }
}
