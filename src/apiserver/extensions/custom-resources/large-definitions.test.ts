// A definition so large that compiling it takes long: whoever needs it finds it made, in steps.

import { afterAll, describe, expect, it, vi } from "vitest";
import { nextTurn } from "../../../base/next-turn.ts";
import { BY_PEER } from "../../../storage/engine.ts";
import { CompiledVersions, type VersionOwner } from "./compiled-version.ts";
import { object, text } from "./definition-parts.testing.ts";
import { startTestServer } from "./server.testing.ts";

const PROPERTIES = 3_000;
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
const DEFINITION = "widgets.example.com";

/** Versions that were compiled without asking whether it is others' turn: wanted before they were made. */
const unready: string[] = [];
let asked = false;
const now = performance.now.bind(performance);
vi.spyOn(performance, "now").mockImplementation(() => {
  asked = true;
  return now();
});
/** Lets go of everything that was compiled. */
let forgetAll: () => void = () => undefined;
const owners = new Set<VersionOwner>();
const { getInSteps } = CompiledVersions.prototype;
vi.spyOn(CompiledVersions.prototype, "getInSteps").mockImplementation(function* (this: CompiledVersions, ...args) {
  owners.add(args[0]);
  forgetAll = () => {
    for (const owner of owners) this.forget(owner);
  };
  const steps = getInSteps.apply(this, args);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    asked = false;
    yield;
    if (!asked) unready.push(args[0].version);
  }
});

const server = await startTestServer();
afterAll(() => server.close());

const wide = (count: number, of: object = text) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`property${index}`, of]));
const version = (name: string, description: string) => ({
  name,
  served: true,
  storage: name === "v1",
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
  schema: {
    openAPIV3Schema: object({
      spec: object({ ...wide(PROPERTIES), replicas: { type: "integer" } }, { description }),
      status: object({ replicas: { type: "integer" } }),
    }),
  },
});
const versions = (description: string) => ["v1", "v2"].map((name) => version(name, description));
const group = { group: "example.com", names: { plural: "widgets", kind: "Widget" } };
await server.define({ ...group, versions: versions("first") });

const widget = (name: string, apiVersion = "example.com/v1") => ({
  apiVersion,
  kind: "Widget",
  metadata: { name },
  spec: { property1: "x", replicas: 1 },
});
const { json: old } = await server.call("POST", WIDGETS, widget("old"));
await server.call("POST", WIDGETS, widget("other"));

const merge = { "content-type": "application/merge-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const inV2 = WIDGETS.replace("/v1/", "/v2/");

type Call = Parameters<typeof server.call>;

describe("a large definition that has just changed is compiled before it is needed", () => {
  const CALLS: [what: string, ...call: Call][] = [
    ["update", "PUT", `${WIDGETS}/old`, { ...old, spec: { replicas: 2 } }],
    ["create", "POST", WIDGETS, widget("new")],
    ["create in another version", "POST", inV2, widget("newer", "example.com/v2")],
    ["merge patch", "PATCH", `${WIDGETS}/old`, { metadata: { labels: { a: "b" } } }, merge],
    ["apply", "PATCH", `${WIDGETS}/old?fieldManager=a&force=true`, widget("old"), apply],
    ["apply in another version", "PATCH", `${inV2}/old?fieldManager=a`, widget("old", "example.com/v2"), apply],
    ["status", "PATCH", `${WIDGETS}/old/status`, { status: { replicas: 1 } }, merge],
    ["scale", "PATCH", `${WIDGETS}/old/scale`, { spec: { replicas: 2 } }, merge],
    ["get", "GET", `${WIDGETS}/old`],
    ["get in another version", "GET", `${inV2}/old`],
    ["list", "GET", WIDGETS],
    ["list as Table", "GET", inV2, undefined, table],
    ["watch", "GET", `${WIDGETS}?watch=1&timeoutSeconds=1&resourceVersion=0`],
    ["dry run", "POST", `${WIDGETS}?dryRun=All`, widget("dry")],
    ["delete", "DELETE", `${WIDGETS}/other`],
    ["delete of many", "DELETE", inV2],
    ["discovery", "GET", "/apis/example.com/v1"],
    ["OpenAPI", "GET", "/openapi/v3/apis/example.com/v1"],
  ];
  it.each(CALLS)("%s", async (what, ...call) => {
    const changed = await server.merge(`${server.definitions}/${DEFINITION}`, { spec: { versions: versions(what) } });
    expect(changed.status).toBe(200);
    unready.length = 0;
    const { status, json } = await server.call(...call);
    expect([200, 201], json.message).toContain(status);
    expect(unready).toEqual([]);
  });

  it.each([
    ["written by another process", WIDGETS, {}, BY_PEER],
    ["in another version", inV2, {}, undefined],
    ["as Table", WIDGETS, table, undefined],
    ["as Table of another version", inV2, table, undefined],
  ])("events of a watch that outlives what was compiled: %s", async (how, url, headers, by) => {
    const name = how.replaceAll(" ", "-").toLowerCase();
    const at = (await server.call("POST", WIDGETS, widget(`own-${name}`))).json.metadata.resourceVersion;
    const watch = server.call("GET", `${url}?watch=1&timeoutSeconds=1&resourceVersion=${at}`, undefined, headers);
    await nextTurn();
    const key = (name: string) => `/registry/example.com/widgets/default/${name}`;
    const { value: own } = (await server.engine.get(key(`own-${name}`)))!;
    const value = Buffer.from(Buffer.from(own).toString().replace(`"own-${name}"`, `"peer-${name}"`));
    forgetAll();
    unready.length = 0;
    await server.engine.create(key(`peer-${name}`), value, { attachment: by ?? JSON.parse(String(value)) });
    const { json: events } = await watch;
    expect(JSON.stringify(events)).toContain(`peer-${name}`);
    expect(unready).toEqual([]);
  });

  it("objects that go with it", async () => {
    await server.call("POST", WIDGETS, widget("last"));
    await server.merge(`${server.definitions}/${DEFINITION}`, { spec: { versions: versions("last") } });
    unready.length = 0;
    await server.call("DELETE", `${server.definitions}/${DEFINITION}`);
    const isGone = async () => (await server.call("GET", `${server.definitions}/${DEFINITION}`)).status === 404;
    while (!(await isGone())) await nextTurn();
    expect(unready).toEqual([]);
  }, 30_000);
});

describe("defaults that are much larger than what they are put into", () => {
  const large = { group: "large.example.com", names: { plural: "things", kind: "Thing" } };
  const THINGS = "/apis/large.example.com/v1/namespaces/default/things";
  const item = object(wide(1_000, { type: "string", default: "x" }));
  const spec = object({ items: { type: "array", items: item } });

  it("are refused where they make more of it than anybody may send", async () => {
    const schema = { openAPIV3Schema: object({ spec }) };
    await server.define({ ...large, versions: [{ name: "v1", served: true, storage: true, schema }] });
    const thing = (name: string, items: number) => ({
      apiVersion: "large.example.com/v1",
      kind: "Thing",
      metadata: { name },
      spec: { items: Array.from({ length: items }, () => ({})) },
    });
    const { status, json } = await server.call("POST", THINGS, thing("a", 2));
    expect([status, Object.keys(json.spec.items[1]).length]).toEqual([201, 1_000]);
    const refused = await server.call("POST", THINGS, thing("b", 200));
    expect([refused.status, refused.json.reason]).toEqual([413, "RequestEntityTooLarge"]);
  });
});
