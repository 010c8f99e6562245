// Names in certificates, and authorities that may only vouch for some of them (RFC 5280, sections 4.2.1.6 and 4.2.1.10).

import { isIP } from "node:net";
import { context, contextOf, DerError, type DerValue, readAll, readSequence, TAG } from "./der-reader.ts";

/** IP addresses and networks are bytes in latin1: an address, or an address and a mask. */
export interface AlternativeName {
  readonly kind: "email" | "dns" | "uri" | "ip";
  readonly text: string;
}

export interface NameConstraints {
  readonly permitted: readonly AlternativeName[];
  readonly excluded: readonly AlternativeName[];
  /** False when there are some for names of other kinds, which nobody here can check. */
  readonly isComplete: boolean;
}

/** A certificate with many names below an authority with many constraints must not hold everybody up. */
const MAX_COMPARISONS = 250_000;

const KINDS: ReadonlyMap<number, AlternativeName["kind"]> = new Map([
  [context(1), "email"],
  [context(2), "dns"],
  [context(6), "uri"],
  [context(7), "ip"],
]);

/** Names of other kinds are left out. Fails with DerError. */
export function readAlternativeNames(extension: Uint8Array): AlternativeName[] {
  return readSequence(extension).flatMap((value) => {
    const name = readName(value);
    if (name === undefined) return [];
    const { kind, text } = name;
    if (kind === "ip" && text.length !== 4 && text.length !== 16) throw new DerError("an IP address is expected");
    if (kind === "uri" && !isUri(text)) throw new DerError("a URI is expected");
    return [name];
  });
}

/** Fails with DerError. */
export function readNameConstraints(extension: Uint8Array): NameConstraints {
  const parts = readSequence(extension);
  const subtrees = (number: number) => {
    const part = parts[0]?.tag === contextOf(number) ? parts.shift()! : undefined;
    return part === undefined ? [] : readAll(part.content).map(readSubtree);
  };
  const permitted = subtrees(0);
  const excluded = subtrees(1);
  if (parts.length > 0 || permitted.length + excluded.length === 0) throw new DerError("name constraints are expected");
  const known = (list: readonly (AlternativeName | undefined)[]) => list.filter((name) => name !== undefined);
  return {
    permitted: known(permitted),
    excluded: known(excluded),
    isComplete: !permitted.includes(undefined) && !excluded.includes(undefined),
  };
}

/** Why the authority may not vouch for these names; undefined when it may. */
export function nameProblem(
  { permitted, excluded }: NameConstraints,
  names: readonly AlternativeName[],
): string | undefined {
  if (names.length * (permitted.length + excluded.length) > MAX_COMPARISONS)
    return "there are too many names and name constraints";
  for (const name of names) {
    const ofKind = (list: readonly AlternativeName[]) => list.filter(({ kind }) => kind === name.kind);
    const [inside, outside] = [ofKind(permitted), ofKind(excluded)];
    if (!isComparable(name, inside.length + outside.length > 0))
      return `a name of the kind ${name.kind} cannot be compared with name constraints`;
    const isIn = (constraint: AlternativeName) => matches(name, constraint.text);
    if (outside.some(isIn)) return `a name of the kind ${name.kind} is excluded by a name constraint`;
    if (inside.length > 0 && !inside.some(isIn))
      return `a name of the kind ${name.kind} is not permitted by any name constraint`;
  }
  return undefined;
}

function readName({ tag, content }: DerValue): AlternativeName | undefined {
  const kind = KINDS.get(tag);
  if (kind === undefined) return undefined;
  if (kind !== "ip" && content.some((byte) => byte >= 0x80)) throw new DerError("a name has unknown characters");
  return { kind, text: Buffer.from(content).toString("latin1") };
}

/** Undefined for names of other kinds. */
function readSubtree({ tag, whole }: DerValue): AlternativeName | undefined {
  const [base] = tag === TAG.sequence ? readSequence(whole) : [];
  if (base === undefined) throw new DerError("a name constraint is expected");
  const constraint = readName(base);
  if (constraint !== undefined && !isConstraint(constraint))
    throw new DerError(`a name constraint of the kind ${constraint.kind} is malformed`);
  return constraint;
}

function isConstraint({ kind, text }: AlternativeName): boolean {
  if (kind === "ip") return (text.length === 8 || text.length === 32) && isMask(text.slice(text.length / 2));
  if (kind === "email" && text.includes("@")) return mailbox(text) !== undefined;
  if (kind === "uri" && isIP(text) !== 0) return false;
  // With a period before it, the domain itself does not count.
  return text === "" || isDomain(text.startsWith(".") ? text.slice(1) : text);
}

function isMask(bytes: string): boolean {
  const bits = [...Buffer.from(bytes, "latin1")].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return /^1*0*$/.test(bits);
}

function isComparable({ kind, text }: AlternativeName, hasConstraints: boolean): boolean {
  if (kind === "dns") return text === "" || isDomain(text);
  if (kind === "email") return mailbox(text) !== undefined;
  // Without a host, or with an address as host, there is nothing that constraints for domains could be about.
  return kind !== "uri" || !hasConstraints || isDomain(hostOf(text));
}

function matches({ kind, text }: AlternativeName, constraint: string): boolean {
  switch (kind) {
    case "ip":
      return isInNetwork(text, constraint);
    case "dns":
      return isInDomain(text, constraint);
    case "uri":
      return isInDomain(hostOf(text), constraint);
    case "email":
      return isInMailDomain(text, constraint);
  }
}

function isInNetwork(address: string, network: string): boolean {
  if (network.length !== address.length * 2) return false;
  return [...address].every((_, i) => {
    const mask = network.charCodeAt(address.length + i);
    return (address.charCodeAt(i) & mask) === (network.charCodeAt(i) & mask);
  });
}

function isInMailDomain(text: string, constraint: string): boolean {
  const { local, domain } = mailbox(text)!;
  if (!constraint.includes("@")) return isInDomain(domain, constraint);
  const one = mailbox(constraint)!;
  return local === one.local && domain.toLowerCase() === one.domain.toLowerCase();
}

function isInDomain(domain: string, constraint: string): boolean {
  if (constraint === "") return true;
  const lower = domain.toLowerCase();
  const wanted = constraint.toLowerCase();
  if (wanted.startsWith(".")) return lower.length > wanted.length && lower.endsWith(wanted);
  return lower === wanted || lower.endsWith(`.${wanted}`);
}

/** Labels of visible characters; the last one is not empty either. */
function isDomain(text: string): boolean {
  return text.split(".").every((label) => /^[!-~]+$/.test(label));
}

function mailbox(text: string): { readonly local: string; readonly domain: string } | undefined {
  const [, quoted, plain, domain = ""] =
    /^(?:"((?:[^"\\\t\r\n]|\\[^\r\n])*)"|((?:[\w!#$%&'*+\-/=?^`{|}~.]|\\.)+))@(.+)$/.exec(text) ?? [];
  const local = (quoted ?? plain)?.replace(/\\(.)/g, "$1");
  if (local === undefined || text.includes("\0") || !isDomain(domain)) return undefined;
  if (plain !== undefined && !local.split(".").every((atom) => atom !== "")) return undefined;
  return { local, domain };
}

const AUTHORITY = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/;

/** Empty when it is an address, or when there is none. */
function hostOf(uri: string): string {
  const host = (AUTHORITY.exec(uri)?.[1] ?? "").replace(/^.*@/, "").replace(/:\d*$/, "");
  return isIP(host) !== 0 || host.startsWith("[") ? "" : host;
}

function isUri(text: string): boolean {
  if (!/^[ -~]*$/.test(text)) return false;
  const [, authority = ""] = AUTHORITY.exec(text) ?? [];
  return authority === "" || isDomain(authority.replace(/^.*@/, ""));
}
