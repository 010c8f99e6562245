import { describe, expect, it } from "vitest";
import { type KernelFacts, kernelReport, type Verdict } from "./requirements.ts";

const NEW: KernelFacts = { release: "6.8.0-45-generic", nftVersion: "1.0.9", cgroupVersion: 2, pressureStall: true };
const verdict = (facts: Partial<KernelFacts>, feature: string): Verdict | undefined =>
  kernelReport({ ...NEW, ...facts }).find((each) => each.feature.startsWith(feature))?.verdict;

describe("the requirements of the specification", () => {
  it("all hold on a kernel of today", () => {
    expect(kernelReport(NEW).filter((each) => each.verdict !== "ok")).toEqual([]);
  });

  it.each([
    ["net.ipv4.ip_local_reserved_ports", "3.15.9", "3.16.0"],
    ["net.ipv4.tcp_keepalive_time", "4.4.0", "4.5.0"],
    ["net.ipv4.tcp_keepalive_intvl", "4.4.0", "4.5.0"],
    ["net.ipv4.tcp_keepalive_probes", "4.4.0", "4.5.0"],
    ["net.ipv4.tcp_fin_timeout", "4.5.9", "4.6.0"],
    ["net.ipv4.tcp_syncookies", "4.5.9", "4.6.0"],
    ["net.ipv4.tcp_rmem", "4.14.300", "4.15.0"],
    ["net.ipv4.tcp_wmem", "4.14.300", "4.15.0"],
    ["net.ipv4.vs.conn_reuse_mode", "4.0.5", "4.1.0"],
    ["recursive read-only mounts", "5.11.0", "5.12.0"],
    ["pod user namespaces", "6.4.9", "6.5.0"],
    ["node swap with tmpfs noswap", "6.2.0", "6.3.0"],
    ["cpu.stat in the root cgroup", "5.7.0", "5.8.0"],
  ])("%s: not with %s, with %s", (feature, old, enough) => {
    expect([verdict({ release: old }, feature), verdict({ release: enough }, feature)]).toEqual(["missing", "ok"]);
  });

  it.each<[Partial<KernelFacts>, Verdict]>([
    [{}, "ok"],
    [{ nftVersion: "1.0.1", release: "5.13.0" }, "ok"],
    [{ nftVersion: "1.0.0" }, "missing"],
    [{ nftVersion: undefined }, "missing"],
    [{ release: "5.12.0" }, "discouraged"],
    [{ release: "5.4.0" }, "discouraged"],
    [{ release: "5.3.0" }, "missing"],
  ])("nftables with %j: %s", (facts, expected) => {
    expect(verdict(facts, "nftables")).toBe(expected);
  });

  it.each<[Partial<KernelFacts>, Verdict]>([
    [{ cgroupVersion: 1 }, "discouraged"],
    [{ release: "5.1.0" }, "discouraged"],
    [{ release: "5.2.0" }, "ok"],
  ])("cgroup with %j: %s", (facts, expected) => {
    expect(verdict(facts, "cgroup v2")).toBe(expected);
  });

  it("tell what to do where pressure is not measured", () => {
    const psi = (facts: Partial<KernelFacts>) => kernelReport({ ...NEW, ...facts, pressureStall: false }).at(-1);
    expect(psi({})).toMatchObject({ verdict: "missing", found: expect.stringContaining("psi=1") });
    expect(psi({ release: "4.19.0" })).toMatchObject({ verdict: "missing", found: expect.stringContaining("too old") });
  });
});
