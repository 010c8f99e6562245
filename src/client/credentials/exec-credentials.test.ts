// Real commands as plug-ins: slow, missing, failing, chatty, hanging. Requirements: document 2, "Client credential plugin".

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { parseKubeconfig, type UserEntry } from "../kubeconfig.ts";
import { CredentialError, type CredentialSource } from "./credential-source.ts";
import { credentialsOf } from "./credentials-of.ts";
import type { TerminalOptions } from "./exec-credentials.ts";

const GROUPS = { platform: "client.authentication.platform.io", kubernetes: "client.authentication.k8s.io" };
const VARIABLES = { platform: "PLATFORM_EXEC_INFO", kubernetes: "KUBERNETES_EXEC_INFO" };
const START_MS = Date.parse("2030-01-01T00:00:00Z");

let folder: string;
let clock: FakeClock;
let opened: CredentialSource[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "exec-credentials-"));
  clock = new FakeClock(START_MS);
  opened = [];
});
afterEach(() => {
  for (const source of opened) source.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Plugin {
  /** Shell text; $D is the folder, $N the number of this run. */
  readonly script?: string;
  readonly exec?: object;
  readonly cluster?: object;
  readonly user?: Partial<UserEntry>;
  readonly terminal?: TerminalOptions;
  readonly timeoutMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly dialect?: keyof typeof GROUPS;
  readonly version?: string;
}

const credential = (status: object, group = GROUPS.platform, version = "v1"): string =>
  `cat <<E\n${JSON.stringify({ apiVersion: `${group}/${version}`, kind: "ExecCredential", status })}\nE`;

function plugin({ dialect = "platform", version = "v1", ...given }: Plugin): CredentialSource {
  const group = GROUPS[dialect];
  const script = given.script ?? credential({ token: "t$N" }, group, version);
  writeFileSync(
    join(folder, "plugin.sh"),
    `#!/bin/sh\nD=${folder}\necho run >>$D/runs\nN=$(grep -c . $D/runs)\n${script}\n`,
    {
      mode: 0o755,
    },
  );
  const exec = {
    apiVersion: `${group}/${version}`,
    command: "./plugin.sh",
    ...(version === "v1" ? { interactiveMode: "Never" } : {}),
    ...given.exec,
  };
  const config = parseKubeconfig(
    Buffer.from(
      JSON.stringify({
        clusters: [{ name: "c", cluster: { server: "https://x", ...given.cluster } }],
        users: [{ name: "ann", user: { exec } }],
      }),
    ),
    folder,
  );
  const source = credentialsOf(
    {
      clusterName: "c",
      userName: "ann",
      cluster: config.clusters.get("c")!,
      user: { ...config.users.get("ann")!, ...given.user },
    },
    {
      clock,
      env: given.env ?? { PATH: process.env["PATH"] },
      terminal: given.terminal ?? {},
      ...(given.timeoutMs === undefined ? {} : { execTimeoutMs: given.timeoutMs }),
    },
  );
  opened.push(source);
  return source;
}

const runs = (): number => (existsSync(join(folder, "runs")) ? read("runs").split("\n").length - 1 : 0);
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const failure = async (source: CredentialSource): Promise<string> => {
  const error = await source.current().then(
    () => new Error("it succeeded"),
    (caught: Error) => caught,
  );
  expect(error).toBeInstanceOf(CredentialError);
  return error.message;
};

describe("credentials of a plug-in", () => {
  it.each<[keyof typeof GROUPS, string]>([
    ["platform", "v1"],
    ["platform", "v1beta1"],
    ["kubernetes", "v1"],
    ["kubernetes", "v1beta1"],
  ])("are had in dialect %s, version %s", async (dialect, version) => {
    const source = plugin({
      dialect,
      version,
      script: `printenv ${VARIABLES[dialect]} >$D/info\n${credential({ token: "t" }, GROUPS[dialect], version)}`,
    });
    expect(await source.current()).toEqual({ authorization: "Bearer t" });
    expect(JSON.parse(read("info"))).toEqual({
      kind: "ExecCredential",
      apiVersion: `${GROUPS[dialect]}/${version}`,
      spec: { interactive: false },
    });
  });

  it("are kept without an expiry", async () => {
    const source = plugin({});
    const first = await source.current();
    clock.advance(10 * 365 * 86_400_000);
    expect(await source.current()).toBe(first);
    expect(runs()).toBe(1);
  });

  it("are kept until they expire", async () => {
    const source = plugin({ script: credential({ token: "t$N", expirationTimestamp: "2030-01-01T00:01:00Z" }) });
    expect(await source.current()).toEqual({ authorization: "Bearer t1" });
    clock.advance(59_999);
    expect(await source.current()).toEqual({ authorization: "Bearer t1" });
    clock.advance(1);
    expect(await source.current()).toEqual({ authorization: "Bearer t2" });
    expect(runs()).toBe(2);
  });

  it("that have expired already are shown once", async () => {
    const source = plugin({ script: credential({ token: "t$N", expirationTimestamp: "2020-01-01T00:00:00Z" }) });
    expect(await source.current()).toEqual({ authorization: "Bearer t1" });
    expect(await source.current()).toEqual({ authorization: "Bearer t2" });
  });

  it("are asked for again when they are refused, once for all who were refused", async () => {
    const source = plugin({});
    const used = await source.current();
    source.refused(used);
    const [a, b] = await Promise.all([source.current(), source.current()]);
    source.refused(used);
    expect([a, b, await source.current()]).toEqual([
      { authorization: "Bearer t2" },
      { authorization: "Bearer t2" },
      { authorization: "Bearer t2" },
    ]);
    expect(runs()).toBe(2);
  });

  it("are asked for once by many who wait", async () => {
    const source = plugin({ script: `sleep 0.1\n${credential({ token: "t" })}` });
    const all = await Promise.all(Array.from({ length: 50 }, () => source.current()));
    expect(new Set(all).size).toBe(1);
    expect(runs()).toBe(1);
  });

  it("are not kept when the plug-in fails", async () => {
    const source = plugin({ script: `[ $N = 1 ] && exit 1\n${credential({ token: "t$N" })}` });
    expect(await failure(source)).toMatch(/exit code 1/);
    expect(await source.current()).toEqual({ authorization: "Bearer t2" });
  });

  it("are not waited for by who has given up", async () => {
    const source = plugin({ script: `while [ ! -e $D/go ]; do sleep 0.01; done\n${credential({ token: "t" })}` });
    const patient = source.current();
    const reason = new Error("given up");
    const controller = new AbortController();
    const impatient = source.current(controller.signal);
    controller.abort(reason);
    await expect(impatient).rejects.toBe(reason);
    writeFileSync(join(folder, "go"), "");
    expect(await patient).toEqual({ authorization: "Bearer t" });
  });

  it("are not asked for when the entry has a token itself", async () => {
    const source = plugin({ user: { token: "own" } });
    expect(await source.current()).toEqual({ authorization: "Bearer own" });
    expect(runs()).toBe(0);
  });

  it("show the certificate of the entry in the place of their own", async () => {
    const user = { clientCertificate: { at: "", pem: "C" }, clientKey: { at: "", pem: "K" } };
    const source = plugin({ user });
    const first = await source.current();
    expect(first).toEqual({ authorization: "Bearer t1", identity: { certificatePem: "C", keyPem: "K" } });
    expect(await source.current()).toBe(first);
    source.refused(first);
    expect((await source.current()).authorization).toBe("Bearer t2");
  });
});

describe("a plug-in", () => {
  it("gets its arguments and variables, over those of the process", async () => {
    const source = plugin({
      script: `echo "$1|$2|$A|$B|$HERE" >$D/seen\n${credential({ token: "t" })}`,
      exec: {
        args: ["--first", "second arg"],
        env: [{ name: "A", value: "a b" }, { name: "B" }, { name: "HERE", value: "2" }],
      },
      env: { PATH: process.env["PATH"], HERE: "1" },
    });
    await source.current();
    expect(read("seen").trim()).toBe("--first|second arg|a b||2");
  });

  it("is looked for in PATH when it is a bare name", async () => {
    const source = plugin({ exec: { command: "plugin.sh" }, env: { PATH: `${folder}:${process.env["PATH"]}` } });
    expect(await source.current()).toEqual({ authorization: "Bearer t1" });
  });

  it("does not see what was meant for another one", async () => {
    const source = plugin({
      script: `env >$D/seen\n${credential({ token: "t" })}`,
      env: { PATH: process.env["PATH"], KUBERNETES_EXEC_INFO: "old", PLATFORM_EXEC_INFO: "old" },
    });
    await source.current();
    expect(read("seen")).not.toContain("KUBERNETES_EXEC_INFO");
    expect(read("seen")).not.toContain("=old");
  });

  it("is told about the cluster when that is wanted", async () => {
    writeFileSync(join(folder, "ca.pem"), "CA");
    const source = plugin({
      script: `printenv PLATFORM_EXEC_INFO >$D/info\n${credential({ token: "t" })}`,
      exec: { provideClusterInfo: true },
      cluster: {
        "certificate-authority": "ca.pem",
        "tls-server-name": "name",
        "proxy-url": "http://p",
        extensions: [{ name: `${GROUPS.platform}/exec`, extension: { any: [1, { thing: true }] } }],
      },
    });
    await source.current();
    expect(JSON.parse(read("info")).spec).toEqual({
      interactive: false,
      cluster: {
        server: "https://x",
        "tls-server-name": "name",
        "certificate-authority-data": Buffer.from("CA").toString("base64"),
        "proxy-url": "http://p",
        config: { any: [1, { thing: true }] },
      },
    });
  });

  it("takes its settings under the other dialect's name too, its own first", async () => {
    const script = `printenv PLATFORM_EXEC_INFO >$D/info\n${credential({ token: "t" })}`;
    const other = { name: `${GROUPS.kubernetes}/exec`, extension: "other" };
    const own = { name: `${GROUPS.platform}/exec`, extension: "own" };
    for (const [extensions, expected] of [
      [[other], "other"],
      [[other, own], "own"],
    ] as const) {
      await plugin({ script, exec: { provideClusterInfo: true }, cluster: { extensions } }).current();
      expect(JSON.parse(read("info")).spec.cluster.config).toBe(expected);
    }
  });

  it("is told that the cluster is not to be verified", async () => {
    const source = plugin({
      script: `printenv PLATFORM_EXEC_INFO >$D/info\n${credential({ token: "t" })}`,
      exec: { provideClusterInfo: true },
      cluster: { "insecure-skip-tls-verify": true },
    });
    await source.current();
    expect(JSON.parse(read("info")).spec.cluster).toEqual({ server: "https://x", "insecure-skip-tls-verify": true });
  });

  it.each<[string, TerminalOptions, boolean | RegExp]>([
    ["Never", { stdinIsTerminal: true }, false],
    ["IfAvailable", { stdinIsTerminal: false }, false],
    ["IfAvailable", { stdinIsTerminal: true, stdinUnavailable: "taken" }, false],
    ["IfAvailable", { stdinIsTerminal: true }, true],
    ["Always", { stdinIsTerminal: true }, true],
    ["Always", { stdinIsTerminal: false }, /cannot support interactive mode: standard input is not a terminal/],
    ["Always", { stdinIsTerminal: true, stdinUnavailable: "taken" }, /standard input is unavailable: taken/],
  ])("of mode %s with %j is interactive: %s", async (interactiveMode, terminal, expected) => {
    const script = `printenv PLATFORM_EXEC_INFO >$D/info\n${credential({ token: "t" })}`;
    const source = plugin({ script, exec: { interactiveMode }, terminal });
    if (expected instanceof RegExp) {
      expect(await failure(source)).toMatch(expected);
      expect(runs()).toBe(0);
    } else {
      await source.current();
      expect(JSON.parse(read("info")).spec.interactive).toBe(expected);
    }
  });

  it("has no input when it is not interactive", async () => {
    const source = plugin({ script: `cat >$D/input\n${credential({ token: "t" })}` });
    await source.current();
    expect(read("input")).toBe("");
  });

  it("is quoted when it fails, with its command and the user", async () => {
    const message = await failure(plugin({ script: "echo not today >&2; exit 3" }));
    expect(message).toBe(
      `getting credentials of user "ann": exec: executable ${folder}/plugin.sh failed with exit code 3; it printed "not today"`,
    );
  });

  it("is heard while it runs, where somebody listens", async () => {
    const heard: string[] = [];
    const terminal = { onErrorOutput: (chunk: Uint8Array) => heard.push(Buffer.from(chunk).toString()) };
    const message = await failure(plugin({ script: "echo visit this page >&2; exit 1", terminal }));
    expect(heard.join("")).toBe("visit this page\n");
    expect(message).toMatch(/exit code 1$/);
  });

  it("that is missing is told of with the hint", async () => {
    const source = plugin({ exec: { command: "./none", installHint: "get it from\nhttps://example.test" } });
    expect(await failure(source)).toBe(
      `getting credentials of user "ann": exec: executable ${folder}/none not found\n\nget it from\nhttps://example.test`,
    );
  });

  it("that may not be executed is told of", async () => {
    writeFileSync(join(folder, "text"), "x", { mode: 0o644 });
    expect(await failure(plugin({ exec: { command: "./text" } }))).toMatch(/could not be started: .*EACCES/);
  });

  it.each<[string, string, RegExp]>([
    ["prints garbage", "echo hello", /decoding stdout: .*no ExecCredential.*plugin\.sh/],
    ["prints nothing", "true", /printed nothing.*plugin\.sh/],
    ["is ended by a signal", "kill -TERM $$", /was ended by SIGTERM/],
    ["prints without end", "yes", /printed more than 1048576 bytes/],
  ])("that %s is told of", async (_what, script, message) => {
    expect(await failure(plugin({ script }))).toMatch(message);
  });

  it("that hangs is ended, with what it started left behind", async () => {
    const source = plugin({ script: "echo >$D/started; sleep 2", timeoutMs: 200_000 });
    const waiting = failure(source);
    await expect.poll(() => existsSync(join(folder, "started"))).toBe(true);
    await clock.advance(200_000);
    expect(await waiting).toMatch(/did not end within 200 seconds/);
  });

  it("is ended when the client is closed", async () => {
    const source = plugin({ script: "echo >$D/started; sleep 2" });
    const waiting = failure(source);
    await expect.poll(() => existsSync(join(folder, "started"))).toBe(true);
    source.close();
    expect(await waiting).toMatch(/was stopped/);
    expect(await failure(source)).toMatch(/not started any more/);
  });
});
