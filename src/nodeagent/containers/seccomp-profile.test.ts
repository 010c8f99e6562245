import { describe, expect, it } from "vitest";
import type { SeccompProfile } from "../../kinds/core/pod/security-context.ts";
import { seccompOf, seccompProblem } from "./seccomp-profile.ts";

const SETTINGS = { directory: "/root/seccomp", defaultToRuntime: false };

describe("the seccomp profile of a container", () => {
  it.each<[string, SeccompProfile | undefined, SeccompProfile | undefined, boolean, object]>([
    [
      "is the container's own",
      { type: "Unconfined" },
      { type: "RuntimeDefault" },
      false,
      { profileType: "Unconfined" },
    ],
    ["is else the pod's", undefined, { type: "RuntimeDefault" }, false, { profileType: "RuntimeDefault" }],
    ["is else none", undefined, undefined, false, { profileType: "Unconfined" }],
    ["or the runtime's, with seccompDefault", undefined, undefined, true, { profileType: "RuntimeDefault" }],
    ["stays none where that is asked for", undefined, { type: "Unconfined" }, true, { profileType: "Unconfined" }],
    [
      "is a file below the directory",
      { type: "Localhost", localhostProfile: "profiles/a.json" },
      undefined,
      false,
      { profileType: "Localhost", localhostRef: "/root/seccomp/profiles/a.json" },
    ],
  ])("%s", (_, container, pod, defaultToRuntime, expected) => {
    expect(seccompOf(container, pod, { ...SETTINGS, defaultToRuntime })).toEqual(expected);
  });

  it.each(["/etc/passwd", "../a.json", "a/../../b.json", ""])("is never outside of it: %j", (localhostProfile) => {
    expect(() => seccompOf({ type: "Localhost", localhostProfile }, undefined, SETTINGS)).toThrow("/root/seccomp");
  });
});

describe("a profile file", () => {
  const syscall = (more: object) => ({
    defaultAction: "SCMP_ACT_ALLOW",
    syscalls: [{ names: ["open"], action: "SCMP_ACT_LOG", ...more }],
  });

  it.each<[string, unknown]>([
    ["with a default action alone", { defaultAction: "SCMP_ACT_ALLOW" }],
    [
      "with numbers for errors",
      { ...syscall({ errnoRet: 2, args: [] }), defaultAction: "SCMP_ACT_ERRNO", defaultErrnoRet: 1 },
    ],
    ["with members that only runtimes know", { ...syscall({}), archMap: [], flags: ["SECCOMP_FILTER_FLAG_LOG"] }],
    ...["ERRNO", "ALLOW", "KILL_PROCESS", "KILL_THREAD", "KILL", "TRAP", "TRACE", "LOG", "NOTIFY"].map(
      (action): [string, unknown] => [`with the action ${action}`, syscall({ action: `SCMP_ACT_${action}` })],
    ),
    ["with the other name of NOTIFY", syscall({ action: "SECCOMP_RET_USER_NOTIF" })],
  ])("%s is good", (_, profile) => {
    expect(seccompProblem(JSON.stringify(profile))).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ["of another type", [], "is not a JSON object"],
    ["without a default action", { syscalls: [] }, "has no defaultAction"],
    ["with an unknown default action", { defaultAction: "SCMP_ACT_NOPE" }, 'unsupported defaultAction "SCMP_ACT_NOPE"'],
    ["that notifies by default", { defaultAction: "SCMP_ACT_NOTIFY" }, "cannot be the defaultAction"],
    ["that notifies by default, by the other name", { defaultAction: "SECCOMP_RET_USER_NOTIF" }, "cannot be"],
    [
      "with an unknown action",
      syscall({ action: "SCMP_ACT_WARN" }),
      'syscalls[0] has the unsupported action "SCMP_ACT_WARN"',
    ],
    [
      "that notifies of write",
      syscall({ names: ["read", "write"], action: "SCMP_ACT_NOTIFY" }),
      "cannot apply to write",
    ],
    ["without an action", syscall({ action: undefined }), "unsupported action"],
    ["without names", syscall({ names: [] }), "has no list of names"],
    ["with a text for an error number", syscall({ errnoRet: "EPERM" }), "errnoRet is not an integer"],
    ["with a fraction for the default", { defaultAction: "SCMP_ACT_ERRNO", defaultErrnoRet: 1.5 }, "defaultErrnoRet"],
    ["whose calls are no list", { defaultAction: "SCMP_ACT_ALLOW", syscalls: {} }, "syscalls is not a list"],
  ])("%s is refused", (_, profile, problem) => {
    expect(seccompProblem(JSON.stringify(profile))).toContain(problem);
  });

  it("that is not JSON is refused", () => {
    expect(seccompProblem("{")).toBe("is not JSON");
  });
});
