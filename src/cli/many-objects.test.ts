// The commands that read, against several pages of objects: everything is shown, page by page, in any form.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliServer, startCliServer } from "./cli.testing.ts";

const COUNT = 5_000;
/** Of the root. */
const EVENTS = 1_600;

let server: CliServer;
let owner: string;
beforeAll(async () => {
  server = await startCliServer("platform");
  const make = (path: string, body: object) => server.call("POST", path, body);
  await make("/api/v1/namespaces", { metadata: { name: "many" } });
  const path = "/api/v1/namespaces/many/configmaps";
  const root = await make(path, { metadata: { name: "root" } });
  owner = root.json.metadata.uid;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "root", uid: owner }];
  for (let at = 1; at < COUNT; at += 1) {
    const name = `cm-${String(at).padStart(4, "0")}`;
    const labels = { half: at % 2 === 0 ? "even" : "odd" };
    const answer = await make(path, { metadata: { name, labels, ownerReferences }, data: { at: String(COUNT - at) } });
    expect(answer.status).toBe(201);
  }
  for (let at = 0; at < EVENTS; at += 1) {
    await make("/api/v1/namespaces/many/events", {
      metadata: { name: `e-${at}` },
      involvedObject: { apiVersion: "v1", kind: "ConfigMap", name: "root", namespace: "many", uid: owner },
      type: "Normal",
      reason: `Reason${at}`,
      lastTimestamp: new Date(Date.now() - at * 1_000).toISOString().replace(/\.\d+/, ""),
    });
  }
}, 120_000);
afterAll(() => server.close());

const out: CliServer["out"] = (line) => server.out(line);
const linesOf = (text: string): string[] => text.trimEnd().split("\n");

describe("five thousand objects", () => {
  it.each<[string, number]>([
    ["get cm -n many", COUNT + 1],
    ["get cm -n many --no-headers --chunk-size=0", COUNT],
    // The server has one of its own.
    ["get cm -A --no-headers", COUNT + 1],
    ["get cm -n many -o name", COUNT],
    ["get cm -n many -o name -l half=even", COUNT / 2 - 1],
    ["get cm -n many --no-headers --sort-by=.data.at", COUNT],
    ["get cm -n many -o custom-columns=NAME:.metadata.name", COUNT + 1],
    ["tree cm root -n many", COUNT + 1],
    ["blockers many", 2 + COUNT],
    ["events -n many --no-headers", EVENTS],
  ])("are all shown: %s", async (line, count) => {
    const lines = linesOf(await out(line));
    expect(lines.length).toBe(count);
    expect(new Set(lines).size).toBe(count);
  });

  it("are whole in JSON, YAML and paths, in the order that was asked for", async () => {
    expect(JSON.parse(await out("get cm -n many -o json")).items.length).toBe(COUNT);
    expect((await out("get cm -n many -o yaml")).match(/^ {2}kind: ConfigMap$/gm)?.length).toBe(COUNT);
    const names = (await out("get cm -n many -o jsonpath={.items[*].metadata.name} --sort-by=.metadata.name")).split(
      " ",
    );
    expect([names.length, names[0], names.at(-1)]).toEqual([COUNT, "cm-0001", "root"]);
  });

  it("are described with their events, for which the server is not asked once an object", async () => {
    const before = server.asked.length;
    const described = await out("describe cm -n many");
    expect(described.match(/^Name: /gm)?.length).toBe(COUNT);
    expect(described.match(/^Events: {2}<none>$/gm)?.length).toBe(COUNT - 1);
    expect(new Set(described.match(/Reason\d+/g)).size).toBe(EVENTS);
    const asked = server.asked.slice(before).filter((line) => line.endsWith("/events"));
    expect(asked.length).toBeLessThan(50);
  });

  it("are described, and one among them is found", async () => {
    expect(linesOf(await out("describe cm root -n many")).length).toBeGreaterThan(EVENTS);
    const described = await out("describe cm -n many -l half=odd --show-events=false");
    expect(described.match(/^Name: /gm)?.length).toBe(COUNT / 2);
    const last = `cm-${COUNT - 1}`;
    expect(await out(`history cm ${last} -n many -o table`)).toMatch(/^REVISION/);
    expect(await out(`wait cm/${last} -n many --for=jsonpath={.data.at}=1`)).toContain("condition met");
    const completed = linesOf(await out(["__complete", "-n", "many", "get", "cm", "cm-000"]));
    expect(completed).toEqual(Array.from({ length: 9 }, (_, at) => `cm-000${at + 1}`));
  });
});
