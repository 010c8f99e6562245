// Which backend serves a request: the document's examples and the order between rules.

import { describe, expect, it } from "vitest";
import { completed } from "../complete.testing.ts";
import { type Ingress, ingress } from "./ingress.ts";
import { matchIngress } from "./ingress-match.ts";

const backend = (name: string) => ({ service: { name, port: { number: 80 } } });
const path = (pathType: "Exact" | "Prefix" | "ImplementationSpecific", at: string, name = `${pathType}:${at}`) => ({
  path: at,
  pathType,
  backend: backend(name),
});

function made(name: string, spec: object, creationTimestamp = "2026-01-01T00:00:00Z"): Ingress {
  return completed(ingress, { metadata: { name, namespace: "a", creationTimestamp }, spec });
}

const served = (ingresses: readonly Ingress[], host: string, at: string) =>
  matchIngress(ingresses, { host, path: at })?.backend.service?.name;

describe("paths", () => {
  it.each([
    ["Prefix", "/", "/", true],
    ["Prefix", "/", "/any/path", true],
    ["Prefix", "/foo", "/foo", true],
    ["Prefix", "/foo", "/foo/", true],
    ["Prefix", "/foo/", "/foo", true],
    ["Prefix", "/foo/", "/foo/", true],
    ["Prefix", "/foo/bar", "/foo/bar/baz", true],
    ["Prefix", "/foo/bar", "/foo/barbaz", false],
    ["Prefix", "/aaa/bbb", "/aaa/bbbxyz", false],
    ["Prefix", "/foo", "/Foo", false],
    ["Exact", "/foo", "/foo", true],
    ["Exact", "/foo", "/foo/", false],
    ["Exact", "/foo/", "/foo", false],
    ["Exact", "/foo", "/FOO", false],
    ["Exact", "/foo", "/foo?x=1", true],
    ["ImplementationSpecific", "/foo", "/foo/bar", true],
    ["ImplementationSpecific", "", "/any", true],
  ] as const)("%s %s and %s", (type, at, asked, matches) => {
    const one = made("i", { rules: [{ http: { paths: [path(type, at, "s")] } }] });
    expect(served([one], "x.example.com", asked)).toBe(matches ? "s" : undefined);
  });

  it("lets the longest path win, and the exact one of two that are equally long", () => {
    const one = made("i", {
      rules: [
        {
          http: {
            paths: [path("Prefix", "/"), path("Prefix", "/foo"), path("Prefix", "/foo/bar"), path("Exact", "/foo")],
          },
        },
      ],
    });
    expect(served([one], "h", "/foo/bar/x")).toBe("Prefix:/foo/bar");
    expect(served([one], "h", "/foo/x")).toBe("Prefix:/foo");
    expect(served([one], "h", "/foo")).toBe("Exact:/foo");
    expect(served([one], "h", "/bar")).toBe("Prefix:/");
  });

  it("asks the class about its own paths", () => {
    const one = made("i", { rules: [{ http: { paths: [path("ImplementationSpecific", "/a.*", "s")] } }] });
    const byPattern = { implementationSpecific: (pattern: string, at: string) => new RegExp(`^${pattern}$`).test(at) };
    expect(matchIngress([one], { host: "h", path: "/abc" }, byPattern)?.backend.service?.name).toBe("s");
    expect(matchIngress([one], { host: "h", path: "/b" }, byPattern)).toBeUndefined();
  });
});

describe("hosts", () => {
  it.each([
    ["foo.bar.com", "foo.bar.com", true],
    ["foo.bar.com", "FOO.bar.com:8080", true],
    ["foo.bar.com", "bar.com", false],
    ["*.foo.com", "bar.foo.com", true],
    ["*.foo.com", "baz.bar.foo.com", false],
    ["*.foo.com", "foo.com", false],
    [undefined, "any.thing", true],
  ])("rule %s, request %s", (host, asked, matches) => {
    const rule = { ...(host === undefined ? {} : { host }), http: { paths: [path("Prefix", "/", "s")] } };
    expect(served([made("i", { rules: [rule] })], asked, "/")).toBe(matches ? "s" : undefined);
  });

  it("prefers the very host to a wildcard, and a wildcard to a rule without host, whatever their paths", () => {
    const rules = [
      { http: { paths: [path("Prefix", "/long/path", "none")] } },
      { host: "*.foo.com", http: { paths: [path("Prefix", "/long", "wild")] } },
      { host: "a.foo.com", http: { paths: [path("Prefix", "/", "very")] } },
    ];
    const all = [made("i", { rules })];
    expect(served(all, "a.foo.com", "/long/path")).toBe("very");
    expect(served(all, "b.foo.com", "/long/path")).toBe("wild");
    expect(served(all, "c.com", "/long/path")).toBe("none");
  });
});

describe("several Ingresses", () => {
  const rules = (name: string) => [{ host: "h.com", http: { paths: [path("Prefix", "/", name)] } }];

  it("prefers the older one where both say the same", () => {
    const young = made("young", { rules: rules("young") }, "2026-02-01T00:00:00Z");
    const old = made("old", { rules: rules("old") });
    expect(served([young, old], "h.com", "/")).toBe("old");
  });

  it("sends what matches nothing to a default backend, first of one that knows the host", () => {
    const other = made("a-other", { defaultBackend: backend("other") });
    const own = made("own", {
      defaultBackend: backend("own"),
      rules: [{ host: "h.com", http: { paths: [path("Exact", "/only", "s")] } }],
    });
    expect(served([other, own], "h.com", "/else")).toBe("own");
    expect(served([other, own], "x.com", "/")).toBe("other");
    expect(matchIngress([own], { host: "h.com", path: "/only" })).toMatchObject({ rule: 0, path: 0 });
    expect(matchIngress([], { host: "h", path: "/" })).toBeUndefined();
  });

  it("gives a host without paths to the default backend", () => {
    expect(served([made("i", { defaultBackend: backend("d"), rules: [{ host: "h.com" }] })], "h.com", "/x")).toBe("d");
  });
});
