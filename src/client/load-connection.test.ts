// Which server and which user come of files, flags and the environment.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { type Connection, KubeconfigError } from "./kubeconfig.ts";
import { type ConnectionOptions, loadConnection } from "./load-connection.ts";

let folder: string;
const write = (path: string, value: unknown): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  return file;
};
const config = (name: string, more: object = {}) => ({
  "current-context": name,
  clusters: [{ name: "shared", cluster: { server: `https://${name}` } }],
  users: [{ name, user: { token: `${name}-token` } }],
  contexts: [{ name, context: { cluster: "shared", user: name, namespace: `${name}-space` } }],
  ...more,
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "load-connection-"));
  write("first", config("first"));
  write("second/config", config("second", { clusters: [{ name: "own", cluster: { server: "https://own" } }] }));
  write("home/.kube/config", config("home"));
  write("ca.pem", "CA");
  write("with-ca", {
    ...config("ca"),
    clusters: [{ name: "shared", cluster: { server: "https://ca", "certificate-authority": "ca.pem" } }],
  });
  write("no-context", config(""));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (options: ConnectionOptions = {}): Connection =>
  loadConnection({ env: {}, homeFolder: join(folder, "nobody"), root: folder, ...options });
const at = (name: string): string => join(folder, name);
const shown = ({ cluster, user, namespace }: Connection) => [cluster.server, user.token, namespace];

describe("the connection", () => {
  it("comes from the named file", () => {
    expect(shown(load({ kubeconfig: at("first") }))).toEqual(["https://first", "first-token", "first-space"]);
  });

  it("comes from the files of KUBECONFIG, of which the first to say something counts", () => {
    const env = { KUBECONFIG: [at("missing"), at("first"), at("second/config")].join(":") };
    expect(shown(load({ env }))).toEqual(["https://first", "first-token", "first-space"]);
    expect(shown(load({ env, context: "second" }))).toEqual(["https://first", "second-token", "second-space"]);
    expect(load({ env, context: "second", cluster: "own" }).cluster.server).toBe("https://own");
  });

  it("comes from the home folder when nothing is named", () => {
    expect(load({ homeFolder: at("home") }).cluster.server).toBe("https://home");
    expect(load({ homeFolder: at("home"), env: { KUBECONFIG: "" } }).cluster.server).toBe("https://home");
  });

  it.each<[string, ConnectionOptions, unknown[]]>([
    ["a namespace", { namespace: "n" }, ["https://first", "first-token", "n"]],
    ["a token", { token: "t" }, ["https://first", "t", "first-space"]],
    ["a server", { server: "https://s" }, ["https://s", "first-token", "first-space"]],
    ["a server without its scheme", { server: "s:1" }, ["https://s:1", "first-token", "first-space"]],
  ])("takes %s of the flags", (_what, flags, expected) => {
    expect(shown(load({ kubeconfig: at("first"), ...flags }))).toEqual(expected);
  });

  it("needs no file when flags say enough", () => {
    const { cluster, user } = load({ server: "https://s", token: "t" });
    expect([cluster.server, user.token]).toEqual(["https://s", "t"]);
  });

  it("asks no plug-in when a token is given", () => {
    write("exec", { ...config("e"), users: [{ name: "e", user: { exec: { command: "x" }, tokenFile: "/x" } }] });
    const { user } = load({ kubeconfig: at("exec"), token: "t" });
    expect(user).toEqual({ token: "t" });
  });

  it("is insecure only when that is said, and then the authority of a file does not count", () => {
    expect(load({ kubeconfig: at("with-ca") }).cluster).toMatchObject({
      insecureSkipTlsVerify: false,
      certificateAuthority: { file: at("ca.pem") },
    });
    const { cluster } = load({ kubeconfig: at("with-ca"), insecureSkipTlsVerify: true });
    expect([cluster.insecureSkipTlsVerify, cluster.certificateAuthority]).toEqual([true, undefined]);
    expect(load({ kubeconfig: at("first"), disableCompression: true }).cluster.disableCompression).toBe(true);
    expect(() =>
      load({ kubeconfig: at("first"), insecureSkipTlsVerify: true, certificateAuthority: at("ca.pem") }),
    ).toThrow(/exclude each other/);
  });

  it.each<[string, ConnectionOptions, RegExp]>([
    ["a missing file that was named", { kubeconfig: "/none" }, /^\/none: ENOENT/],
    ["an unknown context", { kubeconfig: "first", context: "x" }, /there is no context "x"/],
    ["an unknown cluster", { kubeconfig: "first", cluster: "x" }, /there is no cluster "x"/],
    ["an unknown user", { kubeconfig: "first", user: "x" }, /there is no user "x"/],
    ["no choice", { kubeconfig: "no-context" }, /no server is configured/],
    ["nothing at all", {}, /no server is configured: name a kubeconfig file/],
    [
      "files that are not there",
      { env: { KUBECONFIG: ".none/kubeconfig" } },
      /no server is configured: KUBECONFIG names "\.none\/kubeconfig", and no such file is there/,
    ],
    [
      "an authority that is not there",
      { server: "s", certificateAuthority: "/none" },
      /--certificate-authority: ENOENT/,
    ],
  ])("is refused with %s", (_what, options, message) => {
    const { kubeconfig } = options;
    const named = kubeconfig === undefined || kubeconfig.startsWith("/") ? {} : { kubeconfig: at(kubeconfig) };
    const run = () => load({ ...options, ...named });
    expect(run).toThrow(message);
    expect(run).toThrow(KubeconfigError);
  });
});

describe("in a pod", () => {
  it.each(DIALECTS)("the files of the service account are used: %s", (dialect) => {
    const { apiService, serviceAccountMountPath: mount } = namesFor(dialect);
    const root = mkdtempSync(join(folder, "pod-"));
    for (const [file, text] of Object.entries({ token: "t\n", "ca.crt": "CA", namespace: "shop\n" })) {
      write(join(root.slice(folder.length), mount, file), text);
    }
    const variable = apiService.toUpperCase();
    const env = { [`${variable}_SERVICE_HOST`]: "fd00::1", [`${variable}_SERVICE_PORT`]: "443" };
    const { cluster, user, namespace } = load({ env, root });
    expect([cluster.server, namespace]).toEqual(["https://[fd00::1]:443", "shop"]);
    expect(user.tokenFile).toBe(join(root, mount, "token"));
    expect(cluster.certificateAuthority?.file).toBe(join(root, mount, "ca.crt"));
    // A file that chooses something wins.
    expect(load({ env, root, kubeconfig: at("first") }).cluster.server).toBe("https://first");
  });
});
