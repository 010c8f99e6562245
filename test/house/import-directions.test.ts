// Imports run downwards only, sub-folders are internal, a package is imported in one place. See ARCHITECTURE.md.

import { describe, expect, it } from "vitest";
import { circles, type Edge, roomOf } from "./circles.testing.ts";
import { folderOf, importsOf, readSources } from "./sources.testing.ts";

const PURE = ["kinds", "patch", "codec", "schema", "cel", "meta", "base"];
/** What stands beside the pipeline and is asked by it: one interface each in registry, no knowledge of each other. */
const ASKED = ["registry", "options", "client", "http", ...PURE];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  cmd: [
    "testing",
    "cli",
    "nodeagent",
    "proxy",
    "dns",
    "scheduler",
    "simulated-nodes",
    "controllers",
    "apiserver",
    "authn",
    "authz",
    "admission",
    "audit",
    "flowcontrol",
    "storage",
    ...ASKED,
  ],
  testing: [
    "apiserver",
    "authn",
    "controllers",
    "scheduler",
    "simulated-nodes",
    "registry",
    "client",
    "http",
    "options",
    "storage",
    "meta",
    "base",
  ],
  // server.ts alone may be handed an engine, see below.
  apiserver: ["storage", "authn", "authz", "admission", "audit", "flowcontrol", ...ASKED],
  authn: ASKED,
  authz: ASKED,
  admission: ASKED,
  audit: ASKED,
  flowcontrol: ASKED,
  registry: ["storage", "http", ...PURE],
  controllers: ["client", "kinds", "schema", "meta", "base"],
  scheduler: ["client", "options", "kinds", "codec", "meta", "base"],
  "simulated-nodes": ["client", "kinds", "meta", "base"],
  proxy: ["client", "options", "kinds", "codec", "meta", "base"],
  dns: ["client", "kinds", "meta", "base"],
  nodeagent: ["client", "http", "options", "kinds", "codec", "meta", "base"],
  cli: ["client", "codec", "meta", "base"],
  client: ["codec", "http", "kinds", "meta", "base"],
  kinds: ["schema", "meta", "base"],
  codec: ["schema", "meta", "base"],
  patch: ["schema", "meta", "base"],
  schema: ["cel", "meta", "base"],
  cel: ["meta", "base"],
  http: ["meta", "base"],
  options: ["meta", "base"],
  storage: ["base"],
  meta: ["base"],
  base: [],
};

/** Sub-folders that are public beside the files directly in a folder, and why. */
const PUBLIC_SUBFOLDERS: Readonly<Record<string, string>> = {
  "src/client/callouts": "what a server calls other servers with, apart from what clients of the API use",
  "src/controllers/framework": "what runs controllers, apart from the controllers",
  "src/registry/encoding": "the bodies of answers, apart from the paths of reads and writes",
};

/** Packages that more than one file may import, and why. */
const SHARED_PACKAGES: Readonly<Record<string, string>> = {
  "@grpc/grpc-js": "src/storage calls etcd with it, src/nodeagent calls the runtime and answers plug-ins",
  protobufjs: "the messages of etcd, and those of the container runtime",
};

const SERVER = "src/apiserver/server.ts";

const sources = readSources().filter(({ isTest }) => !isTest);
const imports = sources.flatMap(importsOf);
const own = imports.filter(({ target }) => target.startsWith("src/"));

describe("imports", () => {
  it("are found at all", () => {
    expect(own.length).toBeGreaterThan(100);
  });

  it("run downwards only", () => {
    const wrong = own.filter(({ from, target }) => {
      const [here, there] = [folderOf(from.path), folderOf(target)];
      return here !== there && !(ALLOWED[here] ?? []).includes(there);
    });
    expect(shown(wrong)).toEqual([]);
  });

  it("reach other folders through the files directly in them; kinds are declared one per file and all public", () => {
    const wrong = own.filter(({ from, target }) => {
      const there = folderOf(target);
      if (there === folderOf(from.path) || there === "kinds") return false;
      const folder = target.slice(0, target.lastIndexOf("/"));
      return folder !== `src/${there}` && !Object.hasOwn(PUBLIC_SUBFOLDERS, folder);
    });
    expect(shown(wrong)).toEqual([]);
  });

  it("bring storage into the API server only where the server is put together", () => {
    const wrong = own.filter(({ from, target }) => {
      return folderOf(from.path) === "apiserver" && folderOf(target) === "storage" && from.path !== SERVER;
    });
    expect(shown(wrong)).toEqual([]);
  });

  it("make no circle of folders; a folder and its own sub-folders are one: the face above, the parts below", () => {
    const edges = own.map(({ from, target }): Edge => [roomOf(from.path), roomOf(target)]);
    const apart = edges.filter(
      ([here, there]) => !`${here}/`.startsWith(`${there}/`) && !`${there}/`.startsWith(`${here}/`),
    );
    expect(circles(apart)).toEqual([]);
  });

  it("make no circle of files, neither by value nor by type", () => {
    const edges = own.map(({ from, target }): Edge => [from.path, target]);
    expect(edges.length).toBeGreaterThan(1000);
    expect(circles(edges)).toEqual([]);
  });

  it("never lead from the sources into tests", () => {
    expect(shown(own.filter(({ target }) => /\.(?:test|testing)\.ts$/.test(target)))).toEqual([]);
  });

  it("name files that exist", () => {
    const known = new Set(readSources().map(({ path }) => path));
    expect(shown(own.filter(({ target }) => target.endsWith(".ts") && !known.has(target)))).toEqual([]);
  });

  it("bring in a third-party package in one place that wraps it", () => {
    const places = new Map<string, Set<string>>();
    for (const { from, target } of imports) {
      if (target.startsWith("src/") || target.startsWith("node:")) continue;
      const name = target
        .split("/")
        .slice(0, target.startsWith("@") ? 2 : 1)
        .join("/");
      places.set(name, (places.get(name) ?? new Set()).add(from.path));
    }
    const scattered = [...places].filter(([name, files]) => files.size > 1 && !Object.hasOwn(SHARED_PACKAGES, name));
    expect(scattered.map(([name, files]) => `${name}: ${[...files].join(", ")}`)).toEqual([]);
  });
});

function shown(wrong: typeof own): string[] {
  return wrong.map(({ from, target }) => `${from.path} -> ${target}`);
}
