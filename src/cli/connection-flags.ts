// The flags that every command has: where to connect and as whom.

import type { Impersonation } from "../client/kubeconfig.ts";
import type { ConnectionOptions } from "../client/load-connection.ts";
import type { Flag, Flags } from "./flags.ts";

const PROFILES = "NODE_OPTIONS=--cpu-prof or --heap-prof before the command writes a profile of it";
const LOGS = "-v=6 tells of every request, at once";

/** What kubectl takes, and why it is not taken here. */
const REFUSED: readonly Flag[] = [
  { name: "profile", value: "kind", summary: "", refused: PROFILES },
  { name: "profile-output", value: "file", summary: "", refused: PROFILES },
  { name: "log-flush-frequency", value: "duration", summary: "", refused: LOGS },
  { name: "vmodule", value: "pattern=level,...", summary: "", refused: LOGS },
  {
    name: "kuberc",
    value: "file",
    summary: "",
    refused: "preferences are those of the shell: its aliases do the same",
  },
];

export const CONNECTION_FLAGS: readonly Flag[] = [
  { name: "kubeconfig", value: "file", summary: "the configuration file, instead of those of KUBECONFIG" },
  { name: "context", value: "name", summary: "the context of the file" },
  { name: "cluster", value: "name", summary: "the cluster of the file, instead of the context's" },
  { name: "user", value: "name", summary: "the user of the file, instead of the context's" },
  { name: "namespace", short: "n", value: "name", summary: "the namespace, instead of the context's" },
  { name: "server", short: "s", value: "address", summary: "the address of the server" },
  { name: "token", value: "token", summary: "the bearer token to show" },
  { name: "username", value: "name", summary: "the name to show, with --password" },
  { name: "password", value: "text", summary: "the password of --username" },
  { name: "as", value: "user", summary: "act as this user" },
  { name: "as-group", value: "group", summary: "act as a member of this group; may be repeated" },
  { name: "as-uid", value: "uid", summary: "act with this uid" },
  { name: "certificate-authority", value: "file", summary: "the authority that the server's certificate must be of" },
  { name: "client-certificate", value: "file", summary: "the certificate to show" },
  { name: "client-key", value: "file", summary: "its key" },
  { name: "tls-server-name", value: "name", summary: "the name that the server's certificate must have" },
  { name: "insecure-skip-tls-verify", summary: "trust any server" },
  { name: "disable-compression", summary: "ask for answers as they are, not compressed" },
  { name: "match-server-version", summary: "fail unless the server is of the version that this command is of" },
  { name: "request-timeout", value: "duration", summary: "how long to wait for an answer: 30, 30s, 2m" },
  { name: "v", short: "v", value: "level", summary: "6 and above: tell of every request on standard error" },
  { name: "warnings-as-errors", summary: "fail when the server warns of something" },
  { name: "cache-dir", value: "folder", summary: "where what servers serve is remembered" },
  ...REFUSED,
];

export function connectionOptions(flags: Flags): ConnectionOptions {
  const insecure = flags.setSwitch("insecure-skip-tls-verify");
  const disableCompression = flags.setSwitch("disable-compression");
  const impersonate = impersonation(flags);
  const texts = TEXTS.flatMap(([flag, option]): [string, string][] => {
    // `-n "$NAMESPACE"` of a script that was told of none.
    const value = flags.text(flag) ?? "";
    return value === "" ? [] : [[option, value]];
  });
  return {
    ...(Object.fromEntries(texts) as Partial<Record<(typeof TEXTS)[number][1], string>>),
    ...(insecure === undefined ? {} : { insecureSkipTlsVerify: insecure }),
    ...(disableCompression === undefined ? {} : { disableCompression }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

const TEXTS = [
  ["kubeconfig", "kubeconfig"],
  ["context", "context"],
  ["cluster", "cluster"],
  ["user", "user"],
  ["namespace", "namespace"],
  ["server", "server"],
  ["token", "token"],
  ["username", "username"],
  ["password", "password"],
  ["certificate-authority", "certificateAuthority"],
  ["client-certificate", "clientCertificate"],
  ["client-key", "clientKey"],
  ["tls-server-name", "tlsServerName"],
] as const;

function impersonation(flags: Flags): Impersonation | undefined {
  const user = flags.text("as") || undefined;
  const uid = flags.text("as-uid") || undefined;
  const groups = flags.list("as-group");
  if (user === undefined && uid === undefined && groups.length === 0) return undefined;
  return {
    ...(user === undefined ? {} : { user }),
    ...(uid === undefined ? {} : { uid }),
    groups,
    extra: new Map(),
  };
}
