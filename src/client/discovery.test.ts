// What a client learns from discovery. Requirements: document 1, "Discovery".

import { describe, expect, it } from "vitest";
import { type CachedDocument, type Discovery, discover, findKind, findResource, pathOf } from "./discovery.ts";
import type { ApiRequest, Transport } from "./transport.ts";

const GROUPS = { platform: "apidiscovery.platform.io", kubernetes: "apidiscovery.k8s.io" };

const resource = (name: string, kind: string, more: object = {}) => ({
  resource: name,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  singularResource: kind.toLowerCase(),
  verbs: ["get", "list"],
  ...more,
});
const group = (name: string, versions: Record<string, object[]>) => ({
  metadata: { name },
  versions: Object.entries(versions).map(([version, resources]) => ({ version, resources, freshness: "Current" })),
});
const CORE = [
  group("", {
    v1: [
      resource("events", "Event", { shortNames: ["ev"] }),
      resource("namespaces", "Namespace", { scope: "Cluster" }),
    ],
  }),
];
const OTHERS = [
  group("apps", { v1: [resource("deployments", "Deployment", { shortNames: ["deploy"], categories: ["all"] })] }),
  group("events.x.io", { v1: [resource("events", "Event", { shortNames: ["ev"] })] }),
  group("many.x.io", { v2: [resource("things", "Thing")], v1: [resource("things", "Thing")] }),
];

interface Asked {
  readonly request: ApiRequest;
}

function server(
  dialect: keyof typeof GROUPS,
  answer?: (request: ApiRequest) => [number, unknown, Record<string, string>?],
) {
  const asked: Asked[] = [];
  const document = (items: unknown) => ({ kind: "APIGroupDiscoveryList", apiVersion: `${GROUPS[dialect]}/v2`, items });
  const transport: Transport = {
    async request(request) {
      asked.push({ request });
      const [status, body, headers = {}] = answer?.(request) ?? [
        200,
        document(request.path === "/api" ? CORE : OTHERS),
        { etag: `"${request.path}"` },
      ];
      return {
        status,
        headers: new Map(Object.entries(headers)),
        warnings: [],
        bytes: async () => Buffer.from(JSON.stringify(body) ?? ""),
        stream: () => {
          throw new Error("not in pieces");
        },
      };
    },
    connect: () => Promise.reject(new Error("no")),
    close: async () => undefined,
  };
  return { transport, asked };
}

describe("discovery", () => {
  it.each<keyof typeof GROUPS>(["platform", "kubernetes"])("tells the dialect: %s", async (dialect) => {
    const { transport, asked } = server(dialect);
    expect((await discover(transport)).dialect).toBe(dialect);
    expect(String(asked[0]!.request.headers?.["accept"])).toContain(GROUPS[dialect]);
  });

  it("has every resource with its path", async () => {
    const found = await discover(server("platform").transport);
    const namespaces = findKind(found, "v1", "Namespace")!;
    const deployments = findKind(found, "apps/v1", "Deployment")!;
    expect(findKind(found, "apps/v2", "Deployment")).toBeUndefined();
    expect(pathOf(namespaces, "ignored", "a/b")).toBe("/api/v1/namespaces/a%2Fb");
    for (const none of ["", ".", ".."]) expect(() => pathOf(deployments, "shop", none)).toThrow("no name of an object");
    expect(pathOf(deployments)).toBe("/apis/apps/v1/deployments");
    expect(pathOf(deployments, "shop", "web")).toBe("/apis/apps/v1/namespaces/shop/deployments/web");
  });

  describe("knows words", () => {
    let found: Discovery;
    it.each<[string, string | undefined]>([
      ["deployments", "apps/v1"],
      ["Deployment", "apps/v1"],
      ["deploy", "apps/v1"],
      ["deployments.apps", "apps/v1"],
      ["deployment.v1.apps", "apps/v1"],
      ["deployments.v2.apps", undefined],
      ["deployments.x", undefined],
      ["ev", "/v1"],
      ["events", "/v1"],
      ["events.events.x.io", "events.x.io/v1"],
      ["things", "many.x.io/v2"],
      ["things.v1.many.x.io", "many.x.io/v1"],
      ["__proto__", undefined],
      ["", undefined],
    ])("%s", async (word, expected) => {
      found ??= await discover(server("platform").transport);
      const resource = findResource(found, word);
      expect(resource && `${resource.group}/${resource.version}`).toBe(expected);
    });
  });

  it("is kept, and asked for again only when it has changed", async () => {
    const documents = new Map<string, CachedDocument>();
    const cache = {
      read: (name: string) => documents.get(name),
      write: (name: string, document: CachedDocument) => void documents.set(name, document),
    };
    const first = await discover(server("platform").transport, { cache });
    const second = server("platform", () => [304, undefined]);
    expect(await discover(second.transport, { cache })).toEqual(first);
    expect(second.asked.map(({ request }) => request.headers?.["if-none-match"])).toEqual(['"/api"', '"/apis"']);
  });

  it.each<[string, number, unknown, RegExp]>([
    ["is refused", 403, { kind: "Status", apiVersion: "v1", message: "no", code: 403 }, /^GET \/apis?: no/],
    ["is of another form", 200, { kind: "APIGroupList", groups: [] }, /does not serve aggregated discovery/],
    ["is of another version", 200, { kind: "APIGroupDiscoveryList", apiVersion: "x/v9" }, /does not serve aggregated/],
  ])("that %s is told of", async (_what, status, body, message) => {
    await expect(discover(server("platform", () => [status, body]).transport)).rejects.toThrow(message);
  });

  it("leaves out what has no form", async () => {
    const body = {
      kind: "APIGroupDiscoveryList",
      apiVersion: `${GROUPS.platform}/v2`,
      items: [3, { versions: [{ resources: [{}, null] }] }],
    };
    const found = await discover(server("platform", () => [200, body]).transport);
    expect(found.resources.length).toBe(2);
    expect(findResource(found, "x")).toBeUndefined();
  });

  it("says which versions nobody can speak for at present", async () => {
    const versions = [
      { version: "v1", freshness: "Stale" },
      { version: "v2", freshness: "Current" },
    ];
    const body = {
      kind: "APIGroupDiscoveryList",
      apiVersion: `${GROUPS.platform}/v2`,
      items: [{ metadata: { name: "far.x.io" }, versions }],
    };
    const found = await discover(
      server("platform", ({ path }) => [200, path === "/api" ? { ...body, items: [] } : body]).transport,
    );
    expect(found.unknown).toEqual([{ group: "far.x.io", version: "v1" }]);
  });
});
