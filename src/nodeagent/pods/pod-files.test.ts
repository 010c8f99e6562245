import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { PodDirectories } from "./pod-directories.ts";
import { amountsOf, PodRecord } from "./pod-records.ts";
import { podWith } from "./runtime-pod.testing.ts";
import { UserRanges } from "./user-ranges.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plinth-pods-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("directories of pods", () => {
  it("are made for the agent alone, and removed with all in them", async () => {
    const directories = new PodDirectories(root, async () => undefined);
    await directories.make("u");
    expect(statSync(join(root, "u")).mode & 0o007).toBe(0);
    const file = await directories.makeMessageFile("u", "main");
    expect(statSync(file).mode & 0o777).toBe(0o666);
    expect(await directories.list()).toEqual(["u"]);
    await directories.remove("u");
    expect(existsSync(join(root, "u"))).toBe(false);
  });

  it.each(["..", "a/b", "", "../x"])("never lie elsewhere: %j", (uid) => {
    expect(() => new PodDirectories(root, async () => undefined).of(uid)).toThrow("is no uid of a pod");
  });
});

describe("records of resources", () => {
  const open = async () => {
    const record = new PodRecord({ file: join(root, "state"), clock: systemClock, onError: () => undefined });
    await record.open();
    return record;
  };
  const amounts = amountsOf(podWith({ containers: [{ name: "main", resources: { requests: { cpu: "100m" } } }] }));

  it("outlive the agent", async () => {
    const record = await open();
    record.set("u", amounts);
    record.set("gone", amounts);
    record.delete("gone");
    await record.close();
    expect((await open()).uids()).toEqual(["u"]);
    expect((await open()).get("u")).toEqual({ main: { requests: { cpu: "100m" } } });
  });

  it("are there from the start", async () => {
    await open();
    expect(JSON.parse(readFileSync(join(root, "state"), "utf8"))).toEqual({
      data: '{"entries":{}}',
      checksum: expect.any(Number),
    });
  });

  it.each(["", "nonsense", '{"data":"{\\"entries\\":{\\"u\\":{}}}","checksum":1}'])(
    "are begun anew when they cannot be read: %j",
    async (text) => {
      writeFileSync(join(root, "state"), text);
      expect((await open()).uids()).toEqual([]);
    },
  );
});

describe("ranges of users", () => {
  const make = (usersPerPod = 65_536) =>
    new UserRanges({ directoryOf: (uid) => join(root, uid), maxPods: 2, usersPerPod });
  beforeEach(() => {
    for (const uid of ["a", "b", "c"]) mkdirSync(join(root, uid));
  });

  it("are apart from the node's and from each other", async () => {
    const ranges = make();
    expect(await ranges.take("a")).toEqual({ hostId: 65_536, length: 65_536 });
    expect(await ranges.take("b")).toEqual({ hostId: 131_072, length: 65_536 });
    expect(await ranges.take("a")).toEqual({ hostId: 65_536, length: 65_536 });
    await expect(ranges.take("c")).rejects.toThrow("no range of users is left");
    ranges.release("a");
    expect((await ranges.take("c")).hostId).toBe(65_536);
  });

  it("are as large as the configuration says, and apart from those of another size", async () => {
    await make().take("a");
    const ranges = make(131_072);
    expect(await ranges.take("b")).toEqual({ hostId: 131_072, length: 131_072 });
    const smaller = make();
    await smaller.load(["b"]);
    expect(await smaller.take("a")).toEqual({ hostId: 65_536, length: 65_536 });
    await expect(smaller.take("c")).rejects.toThrow("no range of users is left");
  });

  it("are nobody's that could not be written down", async () => {
    const ranges = make();
    await expect(ranges.take("nowhere")).rejects.toThrow("ENOENT");
    expect((await ranges.take("a")).hostId).toBe(65_536);
  });

  it("outlive the agent", async () => {
    const before = make();
    await before.take("a");
    await before.take("b");
    const after = make();
    await after.load(["b", "c"]);
    expect((await after.take("c")).hostId).toBe(65_536);
    expect((await after.take("b")).hostId).toBe(131_072);
  });
});
