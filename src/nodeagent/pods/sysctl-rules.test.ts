import { describe, expect, it } from "vitest";
import { podWith } from "./runtime-pod.testing.ts";
import { sysctlProblem } from "./sysctl-rules.ts";

const problem = (name: string, release: string, allowed: string[] = [], spec: object = {}) =>
  sysctlProblem(podWith({ ...spec, securityContext: { sysctls: [{ name, value: "1" }] } }), release, allowed);

describe("kernel parameters", () => {
  it.each([
    ["net.ipv4.ip_local_reserved_ports", "3.16.0", "3.15.10"],
    ["net.ipv4.tcp_keepalive_time", "4.5.0-1", "4.4.302"],
    ["net.ipv4.tcp_keepalive_intvl", "4.5", "4.4"],
    ["net.ipv4.tcp_keepalive_probes", "4.5", "4.4"],
    ["net.ipv4.tcp_fin_timeout", "4.6", "4.5"],
    ["net.ipv4.tcp_syncookies", "4.6", "4.5"],
    ["net.ipv4.tcp_rmem", "4.15", "4.14.336"],
    ["net.ipv4.tcp_wmem", "4.15", "4.14"],
  ])("%s is set from kernel %s on, and not with %s", (name, since, before) => {
    expect(problem(name, since)).toBeUndefined();
    expect(problem(name, before)).toBe(`forbidden sysctl: "${name}" not allowlisted`);
  });

  it.each([
    ["kernel.shm_rmid_forced", [], undefined],
    ["kernel.msgmax", [], 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
    ["kernel.msgmax", ["kernel.msg*"], undefined],
    ["kernel.msgmax", ["kernel.msgmax"], undefined],
    ["kernel/msgmax", ["kernel.msgmax"], undefined],
    ["kernel.shmmax", ["kernel.msg*"], 'forbidden sysctl: "kernel.shmmax" not allowlisted'],
  ])("%s with %j allowed: %s", (name, allowed, expected) => {
    expect(problem(name, "6.1", allowed as string[])).toBe(expected);
  });

  it("are refused in namespaces of the node", () => {
    expect(problem("net.ipv4.tcp_syncookies", "6.1", [], { hostNetwork: true })).toContain("hostNetwork");
    expect(problem("kernel.shm_rmid_forced", "6.1", [], { hostIPC: true })).toContain("hostIPC");
  });
});
