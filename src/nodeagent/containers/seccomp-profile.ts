// Which seccomp profile a container gets, and whether a profile file can be given to a runtime.
// Requirements: document 3, "Seccomp profile shape and pod fields".

import { join, normalize } from "node:path";
import { isObject } from "../../base/json.ts";
import type { SeccompProfile } from "../../kinds/core/pod/security-context.ts";

/** As the runtime takes it; `localhostRef` is the whole path of the file. */
export interface RuntimeSeccomp {
  readonly profileType: "RuntimeDefault" | "Unconfined" | "Localhost";
  readonly localhostRef?: string;
}

interface SeccompSettings {
  /** The directory below which Localhost profiles lie. */
  readonly directory: string;
  /** Whether a container without a profile gets the runtime's (`seccompDefault`) instead of none. */
  readonly defaultToRuntime: boolean;
}

/** What the container says wins, then what its pod says. Fails where the profile would lie outside of its directory. */
export function seccompOf(
  container: SeccompProfile | undefined,
  pod: SeccompProfile | undefined,
  { directory, defaultToRuntime }: SeccompSettings,
): RuntimeSeccomp {
  const profile = container ?? pod;
  if (profile === undefined) return { profileType: defaultToRuntime ? "RuntimeDefault" : "Unconfined" };
  if (profile.type !== "Localhost") return { profileType: profile.type };
  const path = normalize(profile.localhostProfile ?? "");
  if (path === "." || path.startsWith("/") || path.split("/").includes(".."))
    throw new SeccompError(
      `localhostProfile ${JSON.stringify(profile.localhostProfile)} is not a file below ${directory}`,
    );
  return { profileType: "Localhost", localhostRef: join(directory, path) };
}

/** Why a container cannot be created with a profile. */
export class SeccompError extends Error {}

/** Larger files are refused unread: a profile that names every system call many times over has a tenth of it. */
export const MAX_PROFILE_BYTES = 1024 * 1024;

/**
 * Why the content of a profile file cannot be given to a runtime; undefined when it can. Runtimes differ in what they say
 * about actions that they do not know, and some leave them out without a word, which would leave a container less confined
 * than its owner asked for. So the agent looks first.
 */
export function seccompProblem(content: string): string | undefined {
  let profile: unknown;
  try {
    profile = JSON.parse(content);
  } catch {
    return "is not JSON";
  }
  if (!isObject(profile)) return "is not a JSON object";
  return defaultProblem(profile) ?? syscallsProblem(profile["syscalls"]);
}

const ACTIONS: ReadonlySet<unknown> = new Set([
  "SCMP_ACT_ERRNO",
  "SCMP_ACT_ALLOW",
  "SCMP_ACT_KILL_PROCESS",
  "SCMP_ACT_KILL_THREAD",
  "SCMP_ACT_KILL",
  "SCMP_ACT_TRAP",
  "SCMP_ACT_NOTIFY",
  "SECCOMP_RET_USER_NOTIF",
  "SCMP_ACT_TRACE",
  "SCMP_ACT_LOG",
]);
const NOTIFY: ReadonlySet<unknown> = new Set(["SCMP_ACT_NOTIFY", "SECCOMP_RET_USER_NOTIF"]);
/** The runtime itself needs them to hand the notifications over: a container that waits for an answer here never starts. */
const NEVER_NOTIFIED: ReadonlySet<unknown> = new Set(["write"]);

type Fields = { readonly [field: string]: unknown };

function defaultProblem({ defaultAction, defaultErrnoRet }: Fields): string | undefined {
  if (defaultAction === undefined) return "has no defaultAction";
  if (!ACTIONS.has(defaultAction)) return `has the unsupported defaultAction ${shown(defaultAction)}`;
  if (NOTIFY.has(defaultAction)) return `${shown(defaultAction)} cannot be the defaultAction`;
  if (!isErrno(defaultErrnoRet)) return "defaultErrnoRet is not an integer";
  return undefined;
}

function syscallsProblem(syscalls: unknown): string | undefined {
  if (syscalls === undefined || syscalls === null) return undefined;
  if (!Array.isArray(syscalls)) return "syscalls is not a list";
  for (const [index, entry] of syscalls.entries()) {
    const problem = isObject(entry) ? syscallProblem(entry) : "is not an object";
    if (problem !== undefined) return `syscalls[${index}] ${problem}`;
  }
  return undefined;
}

function syscallProblem({ names, action, errnoRet, args }: Fields): string | undefined {
  if (!Array.isArray(names) || names.length === 0 || names.some((name) => typeof name !== "string" || name === ""))
    return "has no list of names";
  if (!ACTIONS.has(action)) return `has the unsupported action ${shown(action)}`;
  if (!isErrno(errnoRet)) return "errnoRet is not an integer";
  if (args !== undefined && args !== null && !Array.isArray(args)) return "args is not a list";
  const never = NOTIFY.has(action) ? names.find((name) => NEVER_NOTIFIED.has(name)) : undefined;
  return never === undefined ? undefined : `${shown(action)} cannot apply to ${never}`;
}

const isErrno = (value: unknown): boolean => value === undefined || value === null || Number.isInteger(value);
const shown = (value: unknown): string => (JSON.stringify(value) ?? "undefined").slice(0, 100);
