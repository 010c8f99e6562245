import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { FlexDriver } from "./flex-driver.ts";
import { FlexDrivers } from "./flex-drivers.ts";
import { FlexMounter } from "./flex-mounter.ts";
import { flexVolumeOf } from "./flex-options.ts";

const isRoot = process.getuid?.() === 0;
const OK = `echo '{"status":"Success"}'`;
const UNSUPPORTED = `echo '{"status":"Not supported"}'; exit 1`;

let root: string;
let mounter: FlexMounter;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plinth-flex-"));
  mounter = another();
});
afterEach(() => {
  const points = readFileSync("/proc/self/mounts", "utf8").matchAll(/^\S+ (\S+)/gm);
  for (const [, point = ""] of [...points].reverse())
    if (point.startsWith(`${root}/`)) execFileSync("umount", ["-l", point]);
  rmSync(root, { recursive: true, force: true });
});

function another(): FlexMounter {
  const secrets = () => ({ get: async (name: string) => secret(name) });
  return new FlexMounter({
    client: { core: { v1: { secrets } } } as unknown as Client,
    drivers: new FlexDrivers({ directory: join(root, "drivers"), domain: "own.io", log: silentLog }),
    nodeName: "node-1",
    podsDirectory: join(root, "pods"),
    pluginsDirectory: join(root, "plugins"),
    domain: "own.io",
  });
}

async function secret(name: string) {
  if (name !== "key") throw new Error("not found");
  return { data: { password: "c2VjcmV0" } };
}

/** A driver in a few lines of shell: what it does by command. It notes every call. */
function install(commands: Readonly<Record<string, string>>, folder = "acme~disk"): void {
  const directory = join(root, "drivers", folder);
  mkdirSync(directory, { recursive: true });
  const cases = Object.entries(commands).map(([command, script]) => `${command}) ${script} ;;`);
  const lines = [
    "#!/bin/sh",
    `for word in "$@"; do printf '%s\\t' "$word"; done >> ${root}/calls; echo >> ${root}/calls`,
  ];
  const program = join(directory, folder.slice(folder.lastIndexOf("~") + 1));
  // Written anew, as who installs programs does: the file is another one then.
  rmSync(program, { force: true });
  writeFileSync(program, [...lines, `case $1 in`, ...cases, `*) ${UNSUPPORTED} ;;`, "esac", ""].join("\n"));
  chmodSync(program, 0o755);
}

const simple = { init: `echo '{"status":"Success","capabilities":{"attach":false}}'`, mount: `touch $2/data; ${OK}` };

function calls(): (string | Record<string, string>)[][] {
  const text = existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8") : "";
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const words = line.split("\t").slice(0, -1);
    return words.map((word) => (word.startsWith("{") ? JSON.parse(word) : word));
  });
}

const pod = (uid: string, spec: object = {}) =>
  podWith({ serviceAccountName: "builder", ...spec }, { uid, name: `pod-${uid}`, namespace: "team" });
const volume = (more: object = {}) => flexVolumeOf("data", { driver: "acme/disk", ...more }, pod("a"));
const pathOf = (uid: string) => join(root, "pods", uid, "volumes/acme~disk/data");

describe("a volume of a program", () => {
  it("is mounted once, with what the driver must know, and given back", async () => {
    install({ ...simple, unmount: `rm $2/data; ${OK}` });
    const wanted = volume({ fsType: "ext4", options: { size: "3" }, secretRef: { name: "key" } });
    const path = pathOf("a");
    const ready = await mounter.mount(pod("a", { securityContext: { fsGroup: process.getgid?.() ?? 0 } }), wanted);
    expect(ready).toMatchObject({ path, readOnly: false, plugin: "flexvolume-acme/disk" });
    await mounter.mount(pod("a"), wanted);
    expect(existsSync(join(path, "data"))).toBe(true);
    expect((statSync(path).mode & 0o7777).toString(8)).toBe("2770");
    await mounter.unmountAll("a");
    expect(existsSync(path)).toBe(false);
    expect(calls()).toEqual([
      ["init"],
      [
        "mount",
        path,
        {
          "own.io/fsType": "ext4",
          "own.io/readwrite": "rw",
          "own.io/pvOrVolumeName": "data",
          "own.io/mounterArgs.FsGroup": String(process.getgid?.() ?? 0),
          "own.io/pod.name": "pod-a",
          "own.io/pod.namespace": "team",
          "own.io/pod.uid": "a",
          "own.io/serviceAccount.name": "builder",
          "own.io/secret/password": "c2VjcmV0",
          size: "3",
        },
      ],
      ["unmount", path],
    ]);
  });

  it("is only read where its source or its claim says so", async () => {
    install(simple);
    const told = async (uid: string, wanted: ReturnType<typeof volume>) => {
      const { readOnly } = await mounter.mount(pod(uid), wanted);
      return [readOnly, (calls().at(-1)![2] as Record<string, string>)["own.io/readwrite"]];
    };
    expect(await told("a", volume({ readOnly: true }))).toEqual([true, "ro"]);
    expect(await told("b", flexVolumeOf("data", { driver: "acme/disk" }, pod("b"), true))).toEqual([true, "ro"]);
  });

  it("leaves its files alone where the driver gives them to the group itself", async () => {
    install({ ...simple, init: `echo '{"status":"Success","capabilities":{"attach":false,"fsGroup":false}}'` });
    await mounter.mount(pod("a", { securityContext: { fsGroup: 4321 } }), volume());
    expect(statSync(pathOf("a")).gid).not.toBe(4321);
  });

  it.each<[string, Record<string, string>, object, RegExp]>([
    ["no driver", {}, { driver: "acme/other" }, /^no volume plugin matched: .*acme\/other/],
    ["a path instead of a driver", {}, { driver: "../drivers/acme~disk" }, /^no volume plugin matched/],
    ["a driver of the platform's own", {}, { driver: "own.io/csi" }, /^no volume plugin matched/],
    ["no such secret", {}, { secretRef: { name: "none" } }, /^couldn't get secret team\/none err: not found$/],
    [
      "a failure",
      { mount: `echo '{"status":"Failure","message":"no disk"}'; exit 1` },
      {},
      /^mount command failed, status: Failure, reason: no disk$/,
    ],
    ["nonsense", { mount: "echo hello" }, {}, /^mount command failed: it printed no JSON object$/],
    ["a crash", { mount: "echo broken >&2; exit 3" }, {}, /^mount command failed: exit status 3: broken$/],
    ["a success that is none", { mount: `${OK}; exit 2` }, {}, /^mount command failed: exit status 2$/],
    ["a driver that does not start", { init: UNSUPPORTED }, {}, /^init command failed, status: Not supported$/],
    ["a driver that mounts nothing", { mount: UNSUPPORTED }, {}, /^driver acme\/disk neither mounts/],
  ])("fails with what is wrong, and leaves nothing: %s", async (_, commands, source, message) => {
    install({ ...simple, ...commands });
    install(simple, "own.io~csi");
    await expect(mounter.mount(pod("a"), volume(source))).rejects.toThrow(message);
    expect(existsSync(pathOf("a"))).toBe(false);
  });

  it("is not waited for longer than its driver may take", async () => {
    install({ ...simple, mount: "exec sleep 60" });
    const driver = await FlexDriver.open("acme/disk", join(root, "drivers/acme~disk/disk"), 1_000);
    await expect(driver.call("mount", "/nowhere", "{}")).rejects.toThrow("mount command failed: timeout");
  });

  it("is given back by the next agent too, and not before its driver agrees", async () => {
    install({
      ...simple,
      unmount: `test -f ${root}/free && rm $2/data && ${OK} || echo '{"status":"Failure","message":"busy"}'`,
    });
    await mounter.mount(pod("a"), volume());
    const next = another();
    await expect(next.unmountAll("a")).rejects.toThrow("unmount command failed, status: Failure, reason: busy");
    writeFileSync(join(root, "free"), "");
    await next.unmountAll("a");
    expect(readdirSync(join(root, "pods/a/volumes/acme~disk"))).toEqual([]);
  });

  it("does not keep a pod when its driver is gone and nothing is mounted", async () => {
    install(simple);
    await mounter.mount(pod("a"), volume());
    rmSync(join(root, "drivers"), { recursive: true });
    await mounter.unmountAll("a");
    await expect(mounter.mount(pod("b"), volume())).rejects.toThrow("no volume plugin matched");
  });

  it("finds a driver that comes later, or is another one by then", async () => {
    await expect(mounter.mount(pod("a"), volume())).rejects.toThrow("no volume plugin matched");
    install({ ...simple, mount: `echo '{"status":"Failure","message":"old"}'` });
    await expect(mounter.mount(pod("a"), volume())).rejects.toThrow("old");
    install(simple);
    await mounter.mount(pod("a"), volume());
    expect(calls().map(([command]) => command)).toEqual(["init", "mount", "init", "mount"]);
  });
});

describe.skipIf(!isRoot)("a driver that attaches devices (needs root, to mount)", () => {
  const attaching = {
    init: OK,
    attach: `echo '{"status":"Success","device":"/dev/one"}'`,
    waitforattach: `echo '{"status":"Success","device":"/dev/two"}'`,
    mountdevice: `mount -t tmpfs tmpfs $2; touch $2/data; ${OK}`,
    detach: OK,
  };

  it("does so once for all pods of the node, and the agent shows them the device", async () => {
    install(attaching);
    const device = join(root, "plugins/own.io/flexvolume/acme/disk/mounts/data");
    await Promise.all(["a", "b"].map((uid) => mounter.mount(pod(uid), volume())));
    for (const uid of ["a", "b"]) expect(existsSync(join(pathOf(uid), "data"))).toBe(true);
    await mounter.unmountAll("a");
    expect([existsSync(pathOf("a")), existsSync(join(pathOf("b"), "data"))]).toEqual([false, true]);
    await mounter.unmountAll("b");
    expect([existsSync(pathOf("b")), existsSync(device)]).toEqual([false, false]);
    const told = { "own.io/fsType": "", "own.io/readwrite": "rw", "own.io/pvOrVolumeName": "data" };
    expect(calls().filter(([command]) => command !== "mount")).toEqual([
      ["init"],
      ["getvolumename", told],
      ["attach", told, "node-1"],
      ["waitforattach", "/dev/one", told],
      ["mountdevice", device, "/dev/two", told],
      ["unmount", pathOf("a")],
      ["unmountdevice", device],
      ["detach", "data", "node-1"],
    ]);
  });

  it.each(["unmountdevice", "detach"])("is asked again where it could not give one back: %s", async (command) => {
    const unmount = `rmdir $2; ${OK}`;
    const busy = { [command]: `test -f ${root}/free && ${OK} || echo '{"status":"Failure","message":"busy"}'` };
    install({ ...attaching, mount: OK, unmount, ...busy });
    await mounter.mount(pod("a"), volume());
    await expect(mounter.unmountAll("a")).rejects.toThrow("reason: busy");
    const before = calls().length;
    if (command === "unmountdevice")
      execFileSync("umount", [join(root, "plugins/own.io/flexvolume/acme/disk/mounts/data")]);
    writeFileSync(join(root, "free"), "");
    await another().unmountAll("a");
    expect(calls().slice(before)).toEqual([["init"], ["detach", "data", "node-1"]]);
    expect(readdirSync(join(root, "pods/a/volumes/acme~disk"))).toEqual([]);
  });

  it("takes a volume over that an earlier agent has mounted", async () => {
    install(attaching);
    await mounter.mount(pod("a"), volume());
    const before = calls().length;
    const next = another();
    await next.mount(pod("a"), volume());
    expect(calls().slice(before)).toEqual([["init"]]);
  });
});
