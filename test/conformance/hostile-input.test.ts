// Bodies, names and queries made to do harm: a clean error or a clean success, no crash, no effect on the next request.

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { api, configMap } from "./conformance.testing.ts";

/** No small body makes a large answer. */
const MAX_ANSWER_LENGTH = 2_000_000;

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const nestedList = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
const withMember = (member: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"evil"},"data":{"k":"v"},${member}}`;

const BODIES: readonly [string, string | Uint8Array, readonly number[]][] = [
  ["__proto__ at the top", withMember('"__proto__":{"polluted":"yes"}'), [201]],
  ["__proto__ as a data key", '{"metadata":{"name":"evil"},"data":{"__proto__":"polluted"}}', [201, 422]],
  ["constructor as a data key", '{"metadata":{"name":"evil"},"data":{"constructor":"x","toString":"y"}}', [201]],
  ["constructor.prototype", withMember('"constructor":{"prototype":{"polluted":"yes"}}'), [201]],
  ["__proto__ labels", '{"metadata":{"name":"evil","labels":{"__proto__":"x"}}}', [201, 422]],
  ["a NUL byte in a value", '{"metadata":{"name":"evil"},"data":{"k":"a\\u0000b"}}', [201]],
  ["a raw NUL byte", '{"metadata":{"name":"evil"},"data":{"k":"a\u0000b"}}', [400]],
  ["a NUL byte in a name", '{"metadata":{"name":"ev\\u0000il"}}', [422]],
  ["a lone surrogate", '{"metadata":{"name":"evil"},"data":{"k":"\\ud800"}}', [201, 400]],
  [
    "invalid UTF-8",
    Buffer.from([...Buffer.from('{"metadata":{"name":"evil"},"data":{"k":"'), 0xff, 0xfe, ...Buffer.from('"}}')]),
    [201, 400],
  ],
  ["10,000-fold nesting of objects", withMember(`"deep":${nested(10_000)}`), [201, 400]],
  ["10,000-fold nesting of lists", withMember(`"deep":${nestedList(10_000)}`), [201, 400]],
  ["100,000-fold nesting", nested(100_000), [400, 422]],
  ["nesting that is not closed", "[".repeat(200_000), [400]],
  ["a huge number", withMember('"deep":1e999999'), [201, 400]],
  ["a number of many digits", withMember(`"deep":${"9".repeat(100_000)}`), [201, 400]],
  ["a huge generation", '{"metadata":{"name":"evil","generation":99999999999999999999}}', [400]],
  ["no body", "", [400]],
  ["null", "null", [422]],
  ["a list", "[]", [400]],
  ["a number", "1", [400]],
  ["half a body", '{"metadata":{"name":"ev', [400]],
  ["two bodies", '{"metadata":{"name":"evil"}}{"metadata":{"name":"evil"}}', [400]],
  ["another kind", '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"evil"}}', [400]],
  ["another version", '{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"evil"}}', [400]],
  ["a path for a name", '{"metadata":{"name":"../../secrets/x"}}', [422]],
  ["a long name", JSON.stringify({ metadata: { name: "x".repeat(100_000) } }), [422]],
  ["10,000 finalizers", JSON.stringify({ metadata: { name: "evil", finalizers: Array(10_000).fill("bad") } }), [422]],
  ["a YAML bomb as JSON", "a: &a [*a,*a]", [400]],
];

describe("Bad input: bodies", () => {
  it.each(BODIES)("%s", async (_what, body, statuses) => {
    const server = await api();
    const at = await server.configMaps();
    const answer = await server.post(at, body);
    assert.ok(statuses.includes(answer.status), `${answer.status} ${answer.text.slice(0, 300)}`);
    if (answer.status >= 400) assert.equal(answer.json.kind, "Status");
    assert.ok(answer.text.length < MAX_ANSWER_LENGTH, String(answer.text.length));
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    await unharmed();
  });

  it.each([
    [
      "an alias bomb",
      `a: &a ["x","x"]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*${i === 0 ? "a" : `b${i - 1}`},*${i === 0 ? "a" : `b${i - 1}`}]`).join("\n")}`,
    ],
    ["deep flow", "[".repeat(20_000)],
    ["a tag", "!!js/function 'x'"],
    ["a merge key", "metadata: {name: evil}\n<<: {__proto__: {polluted: 1}}"],
  ])("YAML: %s", async (_what, body) => {
    const server = await api();
    const at = await server.configMaps();
    const started = performance.now();
    const answer = await server.post(at, body, { "content-type": "application/yaml" });
    assert.ok(answer.status >= 200 && answer.status < 500, answer.text.slice(0, 300));
    assert.ok(performance.now() - started < 5_000);
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    await unharmed();
  });

  it.each([
    ["merge", `{"data":${nested(10_000)}}`],
    ["merge", '{"__proto__":{"polluted":"yes"},"data":{"__proto__":null}}'],
    ["strategic", '{"__proto__":{"polluted":"yes"},"metadata":{"labels":{"constructor":null}}}'],
    ["strategic", `{"data":${nested(10_000)}}`],
    ["json", '[{"op":"add","path":"/__proto__/polluted","value":"yes"}]'],
    ["json", '[{"op":"add","path":"/constructor/prototype/polluted","value":"yes"}]'],
    ["json", `[{"op":"add","path":"/data/x","value":${nested(10_000)}}]`],
    ["json", `[{"op":"add","path":"${"/a".repeat(50_000)}","value":1}]`],
    ["apply", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"__proto__":{"polluted":"yes"}}'],
    ["apply", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":${nested(10_000)}}`],
  ] as const)("patch: %s %s", async (type, body) => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("x", { k: "1" }));
    const answer = await server.patch(`${at}/x${type === "apply" ? "?fieldManager=m" : ""}`, body, type);
    assert.ok(answer.status < 500, answer.text.slice(0, 300));
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    assert.equal((await server.get(`${at}/x`)).json.data.k, "1");
    await unharmed();
  });
});

describe("Bad input: paths and queries", () => {
  it.each([
    "/api/v1/namespaces/default/configmaps/__proto__",
    "/api/v1/namespaces/default/constructor",
    "/api/v1/__proto__",
    "/apis/__proto__/v1/x",
    "/apis/constructor/prototype/toString",
    "/api/v1/namespaces/default/configmaps/x/constructor",
    "/api/v1/namespaces/default/configmaps/%00",
    "/api/v1/namespaces/default/configmaps/..%2f..%2fsecrets",
    "/api/v1/namespaces/%2e%2e/configmaps",
    `/api/v1/namespaces/default/configmaps/${"x".repeat(10_000)}`,
    `/${"a/".repeat(5_000)}`,
    "//",
  ])("GET %s", async (path) => {
    const server = await api();
    const answer = await server.get(path);
    assert.ok([400, 404, 200].includes(answer.status), answer.text.slice(0, 200));
    if (answer.status === 200) assert.deepEqual(answer.json.items, []);
    await unharmed();
  });

  it.each([
    ["labelSelector=%00", 400],
    ["labelSelector=a%20in%20(", 400],
    ["labelSelector=__proto__%3Dx", 400],
    ["labelSelector=constructor%3Dx", 200],
    ["fieldSelector=__proto__%3Dx", 400],
    ["fieldSelector=constructor%3Dx", 400],
    ["fieldSelector=toString%3Dx", 400],
    ["limit=-1", 200],
    ["limit=1e9", 400],
    ["limit=99999999999999999999", 400],
    ["resourceVersion=0x1", 400],
    ["resourceVersion=1.5", 400],
    ["resourceVersionMatch=constructor&resourceVersion=1", 422],
    ["continue=__proto__", 400],
    ["pretty=__proto__", 200],
    ["=&&&===", 200],
  ])("list ?%s", async (query, status) => {
    const server = await api();
    const answer = await server.get(`/api/v1/namespaces/default/configmaps?${query}`);
    assert.equal(answer.status, status, answer.text.slice(0, 300));
    await unharmed();
  });
});

/** The next request of somebody else. */
async function unharmed(): Promise<void> {
  const server = await api();
  const { status, json } = await server.get("/api/v1/namespaces/default");
  assert.equal(status, 200);
  assert.equal(json.metadata.name, "default");
}
