import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import { FakeRuntime } from "./cri/fake-runtime.testing.ts";
import { NETWORK_PLUGINS } from "./network/bridge-network.ts";
import { findPodNetwork, setUpPodNetwork } from "./pod-network.ts";

let folder: string;
let runtime: FakeRuntime;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plinth-network-"));
  runtime = await FakeRuntime.start();
  const cni = { binDir: join(folder, "bin"), confDir: join(folder, "net.d") };
  runtime.status = { ...runtime.status, info: { config: JSON.stringify({ cni }) } };
});
afterEach(() => {
  runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

function installPlugins(): void {
  mkdirSync(join(folder, "bin"));
  for (const name of NETWORK_PLUGINS) writeFileSync(join(folder, "bin", name), "", { mode: 0o755 });
}

const find = (endpoint = runtime.endpoint) => findPodNetwork(endpoint, systemClock);

describe("the network of pods", () => {
  it.each([
    ["tcp://somewhere", "write unix:///"],
    ["unix:///nowhere.sock", "there is no container runtime: install and start containerd"],
  ])("is not looked for at %s", async (endpoint, words) => {
    await expect(find(endpoint)).rejects.toThrow(words);
    await expect(find(endpoint)).rejects.toThrow(StartError);
  });

  it("needs plug-ins where there is none yet", async () => {
    await expect(find()).rejects.toThrow(
      /no network plug-ins bridge, host-local, loopback in .*containernetworking-plugins/,
    );
  });

  it("is made where the runtime looks, once", async () => {
    installPlugins();
    const place = await find();
    expect(place).toEqual({ folder: join(folder, "net.d"), foreign: undefined });
    const settings = { podCidrs: ["10.244.3.0/24"], leaseDir: join(folder, "leases"), log: silentLog };
    await setUpPodNetwork(place, settings);
    const [file, ...others] = readdirSync(place.folder).map((name) => join(place.folder, name));
    expect(others).toEqual([]);
    expect(readFileSync(file!, "utf8")).toContain("10.244.3.0/24");
    const { ino } = statSync(file!);
    await setUpPodNetwork(await find(), settings);
    expect(statSync(file!).ino).toBe(ino);
  });

  it("of others is left alone, and needs nothing", async () => {
    mkdirSync(join(folder, "net.d"));
    writeFileSync(join(folder, "net.d/05-own.conf"), "{}");
    const place = await find();
    expect(place.foreign).toBe("05-own.conf");
    await setUpPodNetwork(place, { podCidrs: ["10.244.3.0/24"], leaseDir: folder, log: silentLog });
    expect(readdirSync(place.folder)).toEqual(["05-own.conf"]);
  });
});
