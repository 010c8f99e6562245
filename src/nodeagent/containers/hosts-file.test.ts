import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { namesFor } from "../../meta/names.ts";
import { hostsFile, podHostname } from "./hosts-file.ts";

const names = namesFor("kubernetes");
const pod = (spec: object, name = "p") => ({ metadata: { name, namespace: "n" }, spec }) as unknown as Pod;
const linesOf = (text: string) => text.split("\n");

describe("the hosts file", () => {
  it("has the pod's own name at each of its addresses", () => {
    const lines = linesOf(
      hostsFile(names, pod({}), { ips: ["10.0.0.1", "fd00::1"], hostname: "p", fullName: "p.s.n.svc.x" }, ""),
    );
    expect(lines.slice(0, 2)).toEqual(["# Kubernetes-managed hosts file.", "127.0.0.1\tlocalhost"]);
    expect(lines.slice(-3)).toEqual(["10.0.0.1\tp.s.n.svc.x\tp", "fd00::1\tp.s.n.svc.x\tp", ""]);
  });

  it("has the names that the pod adds", () => {
    const hostAliases = [{ ip: "192.0.2.9", hostnames: ["a", "b"] }, { ip: "192.0.2.8" }];
    expect(linesOf(hostsFile(names, pod({ hostAliases }), { ips: [], hostname: "p" }, "")).slice(-3)).toEqual([
      "# Entries added by HostAliases.",
      "192.0.2.9\ta\tb",
      "",
    ]);
  });

  it("is the node's in the node's network", () => {
    const lines = linesOf(
      hostsFile(names, pod({ hostNetwork: true }), { ips: ["x"], hostname: "p" }, "127.0.0.1 node\n"),
    );
    expect(lines).toEqual(["# Kubernetes-managed hosts file (host network).", "127.0.0.1 node", ""]);
  });
});

describe("the host name", () => {
  it.each<[string, Pod, object]>([
    ["is the pod's name", pod({}), { hostname: "p" }],
    ["is cut to what a host name may be", pod({}, `${"a".repeat(62)}-bcd`), { hostname: "a".repeat(62) }],
    ["is the one that is asked for", pod({ hostname: "web" }), { hostname: "web" }],
    [
      "has a domain with a subdomain",
      pod({ hostname: "web", subdomain: "s" }),
      { hostname: "web", fullName: "web.s.n.svc.cluster.local" },
    ],
    [
      "is another whatever else is said",
      pod({ hostname: "web", subdomain: "s", hostnameOverride: "own" }),
      { hostname: "own" },
    ],
  ])("%s", (_, given, expected) => {
    expect(podHostname(given, "cluster.local")).toEqual(expected);
  });
});
