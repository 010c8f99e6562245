import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Clock, FakeClock, systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { NodeShutdown } from "./node-shutdown.ts";
import { PlayedBus } from "./played-bus.testing.ts";
import { busSocket } from "./system-bus.ts";

let folder: string;
let bus: PlayedBus;
let shutdown: NodeShutdown;
let ended: string[];
let changes: number;
let times: (readonly [startMs: number, endMs: number])[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plinth-bus-"));
  bus = new PlayedBus(join(folder, "bus"));
  bus.maxDelaySeconds = 5;
  ended = [];
  changes = 0;
  times = [];
  shutdown = another(4, "state");
  await shutdown.start();
});
afterEach(() => {
  shutdown.close();
  bus.close();
  rmSync(folder, { recursive: true, force: true });
});

const dropIn = () => join(folder, "logind.conf.d/99-nodeagent.conf");

/** The first hears what the bus says too, and writes its own record. */
function another(
  totalSeconds: number,
  stateFile = "another-state",
  { clock, gone }: { clock: Clock; gone: Promise<void> } = { clock: systemClock, gone: Promise.resolve() },
): NodeShutdown {
  const pod = (name: string, priority: number) => ({
    pod: { metadata: { name }, spec: { priority } } as Pod,
    end: async (graceSeconds: number) => {
      ended.push(`${name} in ${graceSeconds}`);
      await gone;
    },
  });
  return new NodeShutdown({
    settings: { totalSeconds, criticalSeconds: 1, byPriority: [] },
    socket: join(folder, "bus"),
    stateFile: join(folder, stateFile),
    loginDropIns: join(folder, "logind.conf.d"),
    clock,
    log: silentLog,
    pods: () => [pod("critical", 2_000_000_000), pod("web", 0)],
    onChange: () => {
      changes += 1;
    },
    onTimes: (...told) => void times.push(told),
  });
}

describe("a machine that is about to shut down", () => {
  it("is asked to wait, and its pods end in their order", async () => {
    expect(bus.calls.map(({ member }) => member)).toEqual(expect.arrayContaining(["Hello", "AddMatch", "Get"]));
    bus.emit(true);
    await vi.waitFor(() => expect(ended).toEqual(["web in 3", "critical in 1"]));
    expect(shutdown.isShuttingDown).toBe(true);
    await vi.waitFor(() =>
      expect(JSON.parse(readFileSync(join(folder, "state"), "utf8"))).toEqual({
        startTime: expect.any(String),
        endTime: expect.any(String),
      }),
    );
    expect(times).toEqual([
      [expect.any(Number), 0],
      [times[0]?.[0], expect.any(Number)],
    ]);
    expect(times[1]?.[1]).toBeGreaterThanOrEqual(times[0]![0]);
  });

  it("has its pods end in their order where no record can be written", async () => {
    mkdirSync(join(folder, "state"));
    bus.emit(true);
    await vi.waitFor(() => expect(ended).toEqual(["web in 3", "critical in 1"]));
  });

  it("is not waited for once nobody looks after pods any more", async () => {
    const clock = new FakeClock();
    const later = another(4, "later-state", { clock, gone: new Promise(() => undefined) });
    await later.start();
    bus.emit(true);
    await vi.waitFor(() => expect(ended.length).toBeGreaterThan(1));
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
    later.close();
    expect(clock.waiting).toBe(0);
  });

  it("may think better of it", async () => {
    bus.emit(true);
    await vi.waitFor(() => expect(changes).toBe(1));
    bus.emit(false);
    await vi.waitFor(() => expect([changes, shutdown.isShuttingDown]).toEqual([2, false]));
  });
});

it("a machine is not asked to wait any more by one that would not hear of its shutdown", async () => {
  const locks = join(folder, "locks");
  mkdirSync(locks);
  const script = `#!/bin/sh\ntouch ${locks}/$$\nexec sleep 600\n`;
  writeFileSync(join(folder, "systemd-inhibit"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  const later = another(4, "later-state");
  await later.start();
  vi.unstubAllEnvs();
  const held = () => readdirSync(locks).filter((pid) => existsSync(`/proc/${pid}`));
  await vi.waitFor(() => expect(held()).toHaveLength(1));
  bus.close();
  await vi.waitFor(() => expect(held()).toEqual([]));
  later.close();
});

describe("a login manager that waits", () => {
  const reloads = () => bus.calls.filter(({ member }) => member === "KillUnit");

  it("long enough is left alone", () => {
    expect(existsSync(dropIn())).toBe(false);
    expect(reloads()).toEqual([]);
  });

  it("less than pods have gets a file that says how long, and is told to read it", async () => {
    const read: string[] = [];
    bus.onReload = () => {
      read.push(readFileSync(dropIn(), "utf8"));
      bus.maxDelaySeconds = Number(/^InhibitDelayMaxSec=(\d+)$/m.exec(read[0]!)?.[1]);
    };
    const later = another(30);
    await later.start();
    later.close();
    expect(read).toEqual([expect.stringMatching(/^# .*\n\[Login\]\nInhibitDelayMaxSec=30\n$/)]);
    expect(reloads()).toMatchObject([
      { destination: "org.freedesktop.systemd1", body: ["systemd-logind.service", "all", 1] },
    ]);
  });

  it("less whatever it is told is asked to wait all the same", async () => {
    const later = another(30);
    await later.start();
    bus.emit(true);
    await vi.waitFor(() => expect(ended).toContain("web in 29"));
    later.close();
  });
});

describe("an agent that starts after a shutdown", () => {
  it.each<[string, string, (readonly [number, number])[]]>([
    [
      "tells when it was",
      '{"startTime":"2030-01-01T00:00:00.5Z","endTime":"2030-01-01T00:01:00Z"}',
      [[Date.parse("2030-01-01T00:00:00.5Z"), Date.parse("2030-01-01T00:01:00Z")]],
    ],
    [
      "tells of one that did not come to its end",
      '{"startTime":"2030-01-01T00:00:00Z","endTime":"0001-01-01T00:00:00Z"}',
      [[Date.parse("2030-01-01T00:00:00Z"), 0]],
    ],
    ["starts with a record that was cut short", '{"startTime":', []],
  ])("%s", async (_, state, expected) => {
    writeFileSync(join(folder, "state"), state);
    const later = another(4, "state");
    await later.start();
    later.close();
    expect(times).toEqual(expected);
  });
});

it.each([
  [undefined, "/var/run/dbus/system_bus_socket"],
  ["unix:path=/run/x", "/run/x"],
  ["unix:guid=1,path=/run/x,y=z", "/run/x"],
  ["unix:abstract=/tmp/dbus", "\0/tmp/dbus"],
])("the bus of %j is at %j", (address, path) => {
  expect(busSocket(address)).toBe(path);
});
