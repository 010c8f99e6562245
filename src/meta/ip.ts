// IP addresses and CIDR blocks, read strictly: four plain decimal octets, no leading zeros, no other notations.
// Serves network fields of all kinds and the IP and CIDR libraries of the expression language.

import { append } from "../base/append.ts";

export interface IpAddress {
  readonly family: 4 | 6;
  /** 4 or 16 bytes, network order. */
  readonly bytes: Uint8Array;
  /** Only with IPv6: the part after `%`, empty when there is none. */
  readonly zone: string;
}

export interface Cidr {
  /** The address as written, host bits included. */
  readonly ip: IpAddress;
  readonly prefixLength: number;
}

/** The longest address text that is read; zones longer than this are refused. */
const MAX_IP_LENGTH = 256;

/** Which hardly any address has. */
const LEADING_ZERO = /(?:^|[.:])0[0-9]/;

/** An address or block whose decimal octets may begin with zeros, as older readers took them, without those. */
export function withoutLeadingZeros(text: string): string {
  // Nothing longer is an address, and the pattern takes quadratic time on many zeros.
  if (text.length > MAX_IP_LENGTH || !LEADING_ZERO.test(text)) return text;
  return text.replace(/(^|[.:])0+(?=[0-9]+(?:[./]|$))/g, "$1");
}

/** The address that `text` says, or undefined; `ipProblem` says why. */
export function parseIp(text: string): IpAddress | undefined {
  const read = readIp(text);
  return typeof read === "string" ? undefined : read;
}

/** Why `text` is not an address; undefined when it is one. */
export function ipProblem(text: string): string | undefined {
  const read = readIp(text);
  return typeof read === "string" ? `ParseAddr(${JSON.stringify(text)}): ${read}` : undefined;
}

/** The block that `text` says, host bits allowed, or undefined; `cidrProblem` says why. */
export function parseCidr(text: string): Cidr | undefined {
  const read = readCidr(text);
  return typeof read === "string" ? undefined : read;
}

/** Why `text` is not a CIDR block; undefined when it is one. */
export function cidrProblem(text: string): string | undefined {
  const read = readCidr(text);
  return typeof read === "string" ? `netip.ParsePrefix(${JSON.stringify(text)}): ${read}` : undefined;
}

/** The canonical text: IPv6 in lower case with the longest run of zeros shortened. */
export function formatIp(ip: IpAddress): string {
  const { bytes } = ip;
  // Written out: join takes several times as long, and some objects hold tens of thousands.
  if (ip.family === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  const zone = ip.zone === "" ? "" : `%${ip.zone}`;
  if (isIpv4Mapped(ip)) return `::ffff:${bytes.subarray(12).join(".")}${zone}`;
  return formatIpv6(bytes) + zone;
}

export function formatCidr(cidr: Cidr): string {
  return `${formatIp(cidr.ip)}/${cidr.prefixLength}`;
}

export function equalIps(a: IpAddress, b: IpAddress): boolean {
  return a.family === b.family && a.zone === b.zone && a.bytes.every((byte, index) => byte === b.bytes[index]);
}

/** Orders by family, then by number: negative, 0 or positive. */
export function compareIps(a: IpAddress, b: IpAddress): number {
  if (a.family !== b.family) return a.family - b.family;
  for (let index = 0; index < a.bytes.length; index++) {
    const difference = (a.bytes[index] ?? 0) - (b.bytes[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The block with the bits after the prefix cleared. */
export function maskCidr(cidr: Cidr): Cidr {
  const bytes = cidr.ip.bytes.slice();
  for (let index = 0; index < bytes.length; index++) bytes[index]! &= maskByte(cidr.prefixLength, index);
  return { ip: { family: cidr.ip.family, bytes, zone: "" }, prefixLength: cidr.prefixLength };
}

/** Addresses of the other family and addresses with a zone are never inside. */
export function cidrContainsIp(cidr: Cidr, ip: IpAddress): boolean {
  if (ip.family !== cidr.ip.family || ip.zone !== "") return false;
  return samePrefix(cidr.ip.bytes, ip.bytes, cidr.prefixLength);
}

export function cidrContainsCidr(outer: Cidr, inner: Cidr): boolean {
  return outer.prefixLength <= inner.prefixLength && cidrContainsIp(outer, inner.ip);
}

export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  if (a.ip.family !== b.ip.family) return false;
  return samePrefix(a.ip.bytes, b.ip.bytes, Math.min(a.prefixLength, b.prefixLength));
}

/** The address as a number, for arithmetic on ranges. */
export function ipToNumber(ip: IpAddress): bigint {
  return ip.bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}

export function ipFromNumber(number: bigint, family: 4 | 6): IpAddress {
  const bytes = new Uint8Array(family === 4 ? 4 : 16);
  let rest = number;
  for (let index = bytes.length - 1; index >= 0; index--) {
    bytes[index] = Number(rest & 255n);
    rest >>= 8n;
  }
  return { family, bytes, zone: "" };
}

export function isIpv4Mapped(ip: IpAddress): boolean {
  return ip.family === 6 && ip.bytes.subarray(0, 10).every((byte) => byte === 0) && word(ip, 5) === 0xffff;
}

/** The IPv4 address that an IPv4-mapped one stands for: whoever is sent to it reaches that one. */
function unmapped(ip: IpAddress): IpAddress {
  return isIpv4Mapped(ip) ? { family: 4, bytes: ip.bytes.subarray(12), zone: ip.zone } : ip;
}

/** The blocks of IPv6 addresses that stand for IPv4 ones, and where those are in them: compatible, 6to4, NAT64 (RFC 6052). */
const EMBEDDING = [
  { block: "::/96", at: 12 },
  { block: "2002::/16", at: 2 },
  { block: "64:ff9b::/96", at: 12 },
] as const;

/** The IPv4 address that packets to this one may be turned into on their way; undefined when there is none. */
export function embeddedIpv4(ip: IpAddress): IpAddress | undefined {
  const found = EMBEDDING.find(({ block }) => cidrContainsIp(parseCidr(block)!, ip));
  return found && { family: 4, bytes: ip.bytes.subarray(found.at, found.at + 4), zone: "" };
}

export function isUnspecified(ip: IpAddress): boolean {
  return ip.zone === "" && unmapped(ip).bytes.every((byte) => byte === 0);
}

export function isLoopback(ip: IpAddress): boolean {
  const { family, bytes } = unmapped(ip);
  if (family === 4) return bytes[0] === 127;
  return bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

function isMulticast(ip: IpAddress): boolean {
  const { family, bytes } = unmapped(ip);
  const first = bytes[0] ?? 0;
  return family === 4 ? (first & 0xf0) === 0xe0 : first === 0xff;
}

export function isLinkLocalMulticast(ip: IpAddress): boolean {
  const { family, bytes } = unmapped(ip);
  const [first = 0, second = 0, third = 0] = bytes;
  if (family === 4) return first === 224 && second === 0 && third === 0;
  return first === 0xff && (second & 0x0f) === 0x02;
}

export function isLinkLocalUnicast(ip: IpAddress): boolean {
  const { family, bytes } = unmapped(ip);
  const [first = 0, second = 0] = bytes;
  if (family === 4) return first === 169 && second === 254;
  return first === 0xfe && (second & 0xc0) === 0x80;
}

/** Everything that is not unspecified, broadcast, loopback, multicast or link-local; private addresses count. */
export function isGlobalUnicast(ip: IpAddress): boolean {
  const { family, bytes } = unmapped(ip);
  const broadcast = family === 4 && bytes.every((byte) => byte === 255);
  return !(isUnspecified(ip) || broadcast || isLoopback(ip) || isMulticast(ip) || isLinkLocalUnicast(ip));
}

function readIp(text: string): IpAddress | string {
  if (text.length > MAX_IP_LENGTH) return "unable to parse IP";
  const kind = /[.:%]/.exec(text)?.[0];
  if (kind === undefined) return "unable to parse IP";
  if (kind === "%") return "missing IPv6 address";
  if (kind === ":") return readIpv6(text);
  const bytes = readIpv4(text);
  return typeof bytes === "string" ? bytes : { family: 4, bytes, zone: "" };
}

function readIpv4(text: string): Uint8Array | string {
  return readPlainIpv4(text) ?? whyNotIpv4(text);
}

const [ZERO, NINE, DOT] = [0x30, 0x39, 0x2e];

/** In one go: endpoints by the thousand are read several times on their way. Undefined for what is not an address. */
function readPlainIpv4(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(4);
  let octet = 0;
  let digits = 0;
  let value = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0 || octet === 3) return undefined;
      bytes[octet] = value;
      octet += 1;
      digits = 0;
      value = 0;
      continue;
    }
    if (code < ZERO || code > NINE || (digits > 0 && value === 0)) return undefined;
    value = 10 * value + code - ZERO;
    digits += 1;
    if (value > 255) return undefined;
  }
  if (octet !== 3 || digits === 0) return undefined;
  bytes[3] = value;
  return bytes;
}

function whyNotIpv4(text: string): string {
  const unexpected = /[^0-9.]/.exec(text);
  if (unexpected !== null) return `unexpected character (at ${JSON.stringify(text.slice(unexpected.index))})`;
  const octets = text.split(".");
  if (octets.some((octet) => octet === "")) return "IPv4 field must have at least one digit";
  if (octets.some((octet) => octet.length > 1 && octet.startsWith("0")))
    return "IPv4 field has octet with leading zero";
  if (octets.some((octet) => octet.length > 3 || Number(octet) > 255)) return "IPv4 field has value >255";
  return octets.length > 4 ? "IPv4 address too long" : "IPv4 address too short";
}

function readIpv6(text: string): IpAddress | string {
  const percent = text.indexOf("%");
  const address = percent < 0 ? text : text.slice(0, percent);
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") return "zone must be a non-empty string";

  const halves = address.split("::");
  if (halves.length > 2) return "multiple :: in address";
  const head = readIpv6Half(halves[0] ?? "", halves.length === 1);
  if (typeof head === "string") return head;
  if (halves.length === 1) {
    if (head.length < 16) return "address string too short";
    if (head.length > 16) return "trailing garbage after address";
    return { family: 6, bytes: Uint8Array.from(head), zone };
  }
  const tail = readIpv6Half(halves[1] ?? "", true);
  if (typeof tail === "string") return tail;
  const missing = 16 - head.length - tail.length;
  if (missing < 2)
    return missing < 0 ? "trailing garbage after address" : "the :: must expand to at least one field of zeros";
  return { family: 6, bytes: Uint8Array.from([...head, ...new Array<number>(missing).fill(0), ...tail]), zone };
}

/** Bytes of `a:b:c`, the last part possibly four octets. */
function readIpv6Half(half: string, mayEndInIpv4: boolean): number[] | string {
  if (half === "") return [];
  const fields = half.split(":");
  const bytes: number[] = [];
  for (const [index, field] of fields.entries()) {
    if (field.includes(".")) {
      if (index !== fields.length - 1 || !mayEndInIpv4)
        return "embedded IPv4 address must replace the final 2 fields of the address";
      const octets = readIpv4(field);
      if (typeof octets === "string") return octets;
      append(bytes, octets);
      continue;
    }
    if (field === "") return "each colon-separated field must have at least one digit";
    if (!/^[0-9a-fA-F]+$/.test(field)) return "each colon-separated field must have at least one digit";
    if (field.length > 4) return "each group must have 4 or less digits";
    const number = Number.parseInt(field, 16);
    bytes.push(number >> 8, number & 255);
  }
  return bytes;
}

function readCidr(text: string): Cidr | string {
  const slash = text.lastIndexOf("/");
  if (slash < 0) return "no '/'";
  const ip = readIp(text.slice(0, slash));
  if (typeof ip === "string") return `ParseAddr(${JSON.stringify(text.slice(0, slash))}): ${ip}`;
  // A zone belongs to one link; a block of addresses has none.
  if (ip.zone !== "") return "IPv6 zones cannot be present in a prefix";
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9][0-9]{0,2})$/.test(bits)) return `bad bits after slash: ${JSON.stringify(bits)}`;
  const prefixLength = Number(bits);
  if (prefixLength > ip.bytes.length * 8) return "prefix length out of range";
  return { ip, prefixLength };
}

function formatIpv6(bytes: Uint8Array): string {
  const words = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0));
  let start = -1;
  let length = 1;
  for (let index = 0; index < 8; index++) {
    let end = index;
    while (end < 8 && words[end] === 0) end++;
    if (end - index > length) {
      start = index;
      length = end - index;
    }
  }
  const hex = words.map((number) => number.toString(16));
  if (start < 0) return hex.join(":");
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
}

function samePrefix(a: Uint8Array, b: Uint8Array, prefixLength: number): boolean {
  return a.every((byte, index) => ((byte ^ (b[index] ?? 0)) & maskByte(prefixLength, index)) === 0);
}

function maskByte(prefixLength: number, index: number): number {
  const bits = Math.min(Math.max(prefixLength - index * 8, 0), 8);
  return (0xff00 >> bits) & 0xff;
}

function word(ip: IpAddress, index: number): number {
  return ((ip.bytes[index * 2] ?? 0) << 8) | (ip.bytes[index * 2 + 1] ?? 0);
}
