// Watches with selectors: what each sees of the same changes. The clock ends them.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { collector } from "../../http/in-process.testing.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import type { StreamBody } from "../../http/message.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

const PODS = "/api/v1/namespaces/default/pods";
const OTHERS = "/api/v1/namespaces/kube-system/pods";
const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } });

describe("a watch", () => {
  let clock: FakeClock;
  let server: ServerInProcess;

  beforeEach(async () => {
    clock = new FakeClock();
    server = await serverInProcess({ clock, flags: ["--disable-admission-plugins=ServiceAccount"] });
  });
  afterEach(() => server.close());

  async function done(method: string, url: string, body?: unknown): Promise<void> {
    const { status, text } = await server.call(method, url, body);
    expect(status, text).toBeLessThan(300);
  }

  /** A watch under way: it waits for its end. */
  async function opened(url: string) {
    const { waiting } = clock;
    const ended = server.call("GET", url);
    while (clock.waiting === waiting) await nextTurn();
    return { ended };
  }

  /** What a watch with this query sees of some changes, and of what was there before it. */
  async function seen(url: string, query: string): Promise<string[]> {
    await done("POST", PODS, pod("a"));
    await done("POST", PODS, pod("ab"));
    const watch = await opened(`${url}?watch=1&timeoutSeconds=10&${query}`);
    await done("POST", OTHERS, pod("a"));
    await done("POST", PODS, pod("b"));
    for (const [name, node] of [
      ["a", "n1"],
      ["b", "n2"],
    ])
      await done("POST", `${PODS}/${name}/binding`, { metadata: { name }, target: { name: node } });
    await done("PATCH", `${PODS}/b`, { metadata: { labels: { app: "x" } } });
    await done("DELETE", `${PODS}/a?gracePeriodSeconds=0`);
    await clock.advance(10_000);
    const { text } = await watch.ended;
    const events = text.split("\n").filter((line) => line !== "");
    return events.map((line) => {
      const { type, object } = JSON.parse(line);
      return `${type} ${object.metadata.namespace}/${object.metadata.name}`;
    });
  }

  it.each([
    [
      "nothing",
      PODS,
      "",
      [
        "ADDED default/a",
        "ADDED default/ab",
        "ADDED default/b",
        "MODIFIED default/a",
        "MODIFIED default/b",
        "MODIFIED default/b",
        "DELETED default/a",
      ],
    ],
    ["a name", PODS, "fieldSelector=metadata.name%3Da", ["ADDED default/a", "MODIFIED default/a", "DELETED default/a"]],
    [
      "a name in all namespaces",
      "/api/v1/pods",
      "fieldSelector=metadata.name%3Da",
      ["ADDED default/a", "ADDED kube-system/a", "MODIFIED default/a", "DELETED default/a"],
    ],
    ["a namespace", "/api/v1/pods", "fieldSelector=metadata.namespace%3Dkube-system", ["ADDED kube-system/a"]],
    [
      "a node: what comes to it is new",
      "/api/v1/pods",
      "fieldSelector=spec.nodeName%3Dn1",
      ["ADDED default/a", "DELETED default/a"],
    ],
    [
      "no node: what gets one is gone",
      PODS,
      "fieldSelector=spec.nodeName%3D",
      ["ADDED default/a", "ADDED default/ab", "ADDED default/b", "DELETED default/a", "DELETED default/b"],
    ],
    ["a node and a label", PODS, "fieldSelector=spec.nodeName%3Dn2&labelSelector=app%3Dx", ["ADDED default/b"]],
    ["a name that is a path", PODS, "fieldSelector=metadata.name%3Da%2F", []],
  ])("that selects %s", async (_, url, query, expected) => {
    expect(await seen(url, query)).toEqual(expected);
  });

  it("in a namespace whose name is another's beginning sees its own alone", async () => {
    for (const name of ["x", "xy"]) await done("POST", "/api/v1/namespaces", { metadata: { name } });
    for (const name of ["x", "xy"])
      await done("POST", `/api/v1/namespaces/${name}/configmaps`, { metadata: { name: "m" } });
    const watch = await opened("/api/v1/namespaces/x/configmaps?watch=1&timeoutSeconds=1");
    await clock.advance(1_000);
    expect((await watch.ended).text).not.toContain('"namespace":"xy"');
  });

  it("of a long state lets others have their turn between its pieces", async () => {
    const maps = "/api/v1/namespaces/default/configmaps";
    const data = { a: "x".repeat(100_000) };
    for (let index = 0; index < 10; index += 1) await done("POST", maps, { metadata: { name: `m${index}` }, data });
    const request = inProcessRequest({ method: "GET", url: `${maps}?watch=1&timeoutSeconds=1` });
    const { body } = await server.handler(request);
    let turn = 0;
    let sentBytes = 0;
    const turns = new Set<number>();
    const writer = collector(request.signal, (chunk) => {
      sentBytes += chunk.length;
      turns.add(turn);
    });
    await asSlowWork(4, async () => {
      const ended = (body as StreamBody).stream(writer);
      for (; sentBytes < 10 * 100_000; turn += 1) await nextTurn();
      await clock.advance(1_000);
      await ended;
    });
    expect(turns.size).toBeGreaterThan(3);
  });
});
