// Why a call over the network failed, in the words that upstream's clients have for it: they stand in conditions, events and
// answers, where people and scripts look for them.

interface NetworkError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

export function callErrorText(error: Error): string {
  const { code = "", message, address, port, hostname, syscall } = error as NetworkError;
  const refused = CONNECT_WORDS.get(code);
  if (refused !== undefined && syscall === "connect")
    return `dial tcp ${hostAndPort(address, port)}: connect: ${refused}`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: server misbehaving`;
  if (code === "ECONNRESET") return CUT_OFF.get(message) ?? "read: connection reset by peer";
  if (UNKNOWN_AUTHORITY.has(code)) return unverified("certificate signed by unknown authority");
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return unverified("certificate has expired or is not yet valid");
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return unverified(otherName(error as NetworkError));
  return message;
}

const CONNECT_WORDS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ETIMEDOUT", "connection timed out"],
  ["EHOSTUNREACH", "no route to host"],
  ["ENETUNREACH", "network is unreachable"],
]);

/** What Node says when the other side closes: before its answer, and in the middle of it. */
const CUT_OFF: ReadonlyMap<string, string> = new Map([
  ["socket hang up", "EOF"],
  ["aborted", "unexpected EOF"],
]);

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const unverified = (why: string): string => `tls: failed to verify certificate: x509: ${why}`;

function otherName({ cert, host = "" }: NetworkError): string {
  const names = (cert?.subjectaltname ?? "").split(", ").map((name) => name.replace(/^(?:DNS|IP Address):/, ""));
  return `certificate is valid for ${names.join(", ")}, not ${host}`;
}

function hostAndPort(address = "", port = 0): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
