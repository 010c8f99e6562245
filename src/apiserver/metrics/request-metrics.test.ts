// Requests in metrics: under which labels they count, and that user text makes no series.

import { beforeEach, describe, expect, it } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ResourceTarget, Target } from "../../registry/request.ts";
import { RequestMetrics } from "./request-metrics.ts";

const SERVED = new Map([
  [" v1 pods", { kind: { kind: "Pod", subresources: { status: {}, exec: {} } } }],
  [" v1 namespaces", { kind: { kind: "Namespace", subresources: {} } }],
  ["old v1beta1 things", { kind: { kind: "Thing", deprecated: { removedRelease: "1.40" } } }],
]);

const catalog = {
  find: (group: string, version: string, resource: string) => SERVED.get(`${group} ${version} ${resource}`),
} as unknown as Catalog;

let metrics: Metrics;
let requests: RequestMetrics;
beforeEach(() => {
  metrics = new Metrics({ release: "1.34" });
  requests = new RequestMetrics(metrics, catalog);
});

const target = (more: Partial<ResourceTarget>): Target =>
  ({
    type: "resource",
    prefix: "api",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "",
    name: "",
    verb: "get",
    ...more,
  }) as Target;

async function lines(metric: string): Promise<string[]> {
  let text = "";
  for await (const piece of metrics.expose()) text += piece;
  return text.split("\n").filter((line) => line.startsWith(metric) && !line.endsWith(" 0"));
}

describe("the labels of a request", () => {
  it.each<[string, Partial<ResourceTarget>, string, boolean, string, string]>([
    ["a get", { namespace: "a", name: "x" }, "GET", false, "GET", "resource"],
    ["a list of a namespace", { namespace: "a", verb: "list" }, "GET", false, "LIST", "namespace"],
    ["a list of all", { verb: "list" }, "GET", false, "LIST", "cluster"],
    ["a watch", { namespace: "a", verb: "watch" }, "GET", false, "WATCH", "namespace"],
    ["a create", { namespace: "a", verb: "create" }, "POST", false, "POST", "resource"],
    ["an update", { namespace: "a", name: "x", verb: "update" }, "PUT", false, "PUT", "resource"],
    ["a patch", { namespace: "a", name: "x", verb: "patch" }, "PATCH", false, "PATCH", "resource"],
    ["an apply", { namespace: "a", name: "x", verb: "patch" }, "PATCH", true, "APPLY", "resource"],
    [
      "a delete of many",
      { namespace: "a", verb: "deletecollection" },
      "DELETE",
      false,
      "DELETECOLLECTION",
      "namespace",
    ],
    [
      "a connection",
      { namespace: "a", name: "x", subresource: "exec", verb: "create" },
      "POST",
      false,
      "CONNECT",
      "resource",
    ],
    ["namespaces", { resource: "namespaces", namespace: "a", verb: "list" }, "GET", false, "LIST", "cluster"],
    ["a verb of nobody's", { verb: "bow" as never, name: "x" }, "GET", false, "other", "resource"],
  ])("of %s", (_, more, method, isApply, verb, scope) => {
    expect(requests.of(target(more), method, isApply)?.labels).toMatchObject({ verb, scope, component: "apiserver" });
  });

  it("are looked up once", () => {
    const first = requests.of(target({ name: "x" }), "GET", false);
    expect(requests.of(target({ name: "y" }), "GET", false)).toBe(first);
  });

  it.each<[string, Target]>([
    ["a resource that is not served", target({ resource: "unicorns" })],
    ["a version that is not served", target({ version: "v9" })],
    ["a part that the kind has not", target({ name: "x", subresource: "wings" })],
    ["a path of nobody's", { type: "path", path: "/some/where", verb: "get" } as Target],
  ])("do not exist for %s", (_, what) => {
    expect(requests.of(what, "GET", false)).toBeUndefined();
  });

  it("of paths are their first part, for methods that exist", () => {
    const path = (one: string) => ({ type: "path", path: one, verb: "get" }) as Target;
    expect(requests.of(path("/livez/ping"), "GET", false)?.labels).toMatchObject({
      subresource: "/livez",
      verb: "GET",
    });
    expect(requests.of(path("/livez"), "BREW", false)).toBeUndefined();
  });
});

describe("what is counted", () => {
  it("by code, duration and size of reads", async () => {
    const series = requests.of(target({ verb: "list" }), "GET", false)!;
    series.finished(200, 0.1, 5_000, false);
    series.finished(200, 0.1, 5_000, false);
    series.finished(410, 0.1, 100, false);
    const total = await lines("apiserver_request_total");
    expect(total.map((line) => [/code="(\d+)"/.exec(line)?.[1], line.split(" ").at(-1)])).toEqual([
      ["200", "2"],
      ["410", "1"],
    ]);
    expect(await lines("apiserver_response_sizes_count")).toHaveLength(1);
    expect(await lines("apiserver_request_sli_duration_seconds_count")).toHaveLength(1);
  });

  it("dry runs apart, and watches without the measure of what should be quick", async () => {
    requests.of(target({ verb: "create" }), "POST", false)!.finished(201, 0.1, 0, true);
    const watch = requests.of(target({ verb: "watch" }), "GET", false)!;
    watch.opened();
    expect(await lines("apiserver_longrunning_requests")).toHaveLength(1);
    watch.sent(3);
    watch.closed();
    watch.finished(200, 60, 0, false);
    expect((await lines("apiserver_request_total")).map((line) => /dry_run="(\w*)"/.exec(line)?.[1]).sort()).toEqual([
      "",
      "All",
    ]);
    expect(await lines("apiserver_request_sli_duration_seconds_count")).toEqual([]);
    expect(await lines("apiserver_longrunning_requests")).toEqual([]);
    expect(await lines("apiserver_watch_events_total")).toEqual([
      'apiserver_watch_events_total{group="",resource="pods",version="v1"} 3',
    ]);
  });

  it("how large bodies are, by verb", async () => {
    requests.of(target({ verb: "create" }), "POST", false)!.received(60_000);
    requests.of(target({ verb: "patch", name: "x" }), "PATCH", true)!.received(10);
    requests.of(target({ verb: "patch", name: "x" }), "PATCH", false)!.received(10);
    const sums = (await lines("apiserver_request_body_size_bytes_sum")).map((line) => line.replace(/^.*verb=/, ""));
    expect(sums).toEqual(['"create"} 60000', '"patch"} 20']);
    expect(
      await lines('apiserver_request_body_size_bytes_bucket{group="",resource="pods",verb="create",le="50000"'),
    ).toEqual([]);
  });

  it("whether somebody still asks for what goes away", async () => {
    requests.of(target({ group: "old", version: "v1beta1", resource: "things" }), "GET", false);
    expect((await lines("apiserver_requested_deprecated_apis"))[0]).toContain('removed_release="1.40"');
  });

  it("what is worked on, reads and writes apart", async () => {
    requests.inFlight("GET").add(1);
    requests.inFlight("HEAD").add(1);
    requests.inFlight("PATCH").add(1);
    expect(await lines("apiserver_current_inflight_requests")).toEqual([
      'apiserver_current_inflight_requests{request_kind="mutating"} 1',
      'apiserver_current_inflight_requests{request_kind="readOnly"} 2',
    ]);
  });
});
