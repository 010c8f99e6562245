// Addresses and networks in fields of networking kinds, in upstream's words. Old fields also take the spellings that
// upstream once took: octets with leading zeros, IPv4 inside IPv6, networks with host bits; those are warned about.
// Requirements: document 3, "Service", "Endpoints", "EndpointSlice".

import { type FieldError, invalid } from "../../meta/field-error.ts";
import {
  type Cidr,
  cidrContainsCidr,
  equalIps,
  formatCidr,
  formatIp,
  type IpAddress,
  isIpv4Mapped,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  maskCidr,
  parseCidr,
  parseIp,
  withoutLeadingZeros,
} from "../../meta/ip.ts";
import type { HookContext } from "../define-kind.ts";

export type IpFamily = "IPv4" | "IPv6";

const NOT_AN_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const NOT_A_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** The gate that takes the old spellings away. */
const STRICT = "StrictIPCIDRValidation";

/** The address in any spelling that old fields take; IPv4 inside IPv6 is the IPv4 address. */
export function readIp(text: string): IpAddress | undefined {
  const ip = parseIp(withoutLeadingZeros(text));
  if (ip === undefined || ip.zone !== "") return undefined;
  return isIpv4Mapped(ip) ? { family: 4, bytes: ip.bytes.subarray(12), zone: "" } : ip;
}

export function readCidr(text: string): Cidr | undefined {
  const slash = text.lastIndexOf("/");
  if (slash < 0) return undefined;
  const bits = text.slice(slash + 1);
  const cidr = parseCidr(
    `${withoutLeadingZeros(text.slice(0, slash))}/${/^[0-9]+$/.test(bits) ? String(Number(bits)) : bits}`,
  );
  if (cidr === undefined || !isIpv4Mapped(cidr.ip)) return cidr;
  if (cidr.prefixLength < 96) return undefined;
  return { ip: { family: 4, bytes: cidr.ip.bytes.subarray(12), zone: "" }, prefixLength: cidr.prefixLength - 96 };
}

export function familyOf(ip: IpAddress): IpFamily {
  return ip.family === 4 ? "IPv4" : "IPv6";
}

const NOTHING_STORED: ReadonlySet<string> = new Set();

/** A field that also takes old spellings. `existing`: what the stored object has there is taken as it is. */
export function validateLegacyIp(
  text: string,
  field: string,
  context: HookContext,
  existing: ReadonlySet<string> = NOTHING_STORED,
): FieldError[] {
  if (existing.has(text)) return [];
  if (readIp(text) === undefined) return [invalid(field, text, NOT_AN_IP)];
  return context.gateEnabled(STRICT) ? oldIpSpelling(text, field) : [];
}

/** A field of newer kinds: the canonical spelling only. */
export function validateCanonicalIp(text: string, field: string): FieldError[] {
  return canonicalIpProblems(text).map((problem) => invalid(field, text, problem));
}

export function canonicalIpProblems(text: string): string[] {
  if (readIp(text) === undefined) return [NOT_AN_IP];
  const found = oldIpSpelling(text, "");
  if (found.length > 0) return found.map(({ detail }) => detail);
  const canonical = formatIp(parseIp(text)!);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

export function validateLegacyCidr(
  text: string,
  field: string,
  context: HookContext,
  existing: ReadonlySet<string> = NOTHING_STORED,
): FieldError[] {
  if (existing.has(text)) return [];
  if (readCidr(text) === undefined) return [invalid(field, text, NOT_A_CIDR)];
  return context.gateEnabled(STRICT) ? oldCidrSpelling(text).map((problem) => invalid(field, text, problem)) : [];
}

export function validateCanonicalCidr(text: string, field: string): FieldError[] {
  if (readCidr(text) === undefined) return [invalid(field, text, NOT_A_CIDR)];
  const found = oldCidrSpelling(text);
  const canonical = formatCidr(maskCidr(readCidr(text)!));
  if (found.length === 0 && canonical !== text) found.push(`must be in canonical form (${JSON.stringify(canonical)})`);
  return found.map((problem) => invalid(field, text, problem));
}

/** Addresses that cannot be reached from elsewhere cannot be endpoints. */
export function validateEndpointIp(text: string, field: string): FieldError[] {
  const ip = readIp(text);
  if (ip === undefined) return [invalid(field, text, "must be a valid IP address")];
  const wrong = (detail: string) => [invalid(field, text, detail)];
  if (isUnspecified(ip)) return wrong(`may not be unspecified (${text})`);
  if (isLoopback(ip)) return wrong("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (isLinkLocalUnicast(ip)) return wrong("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (isLinkLocalMulticast(ip)) return wrong("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  return [];
}

/** What to say about an address that is taken, but written in a way that others may read otherwise. */
export function ipWarnings(text: string, field: string, { names }: HookContext): string[] {
  const ip = readIp(text);
  if (ip === undefined) return [];
  const strict = parseIp(text);
  if (strict === undefined || isIpv4Mapped(strict)) {
    const better = JSON.stringify(formatIp(ip));
    return [
      `${field}: non-standard IP address ${JSON.stringify(text)} will be considered invalid in ${names.futureRelease}: use ${better}`,
    ];
  }
  const canonical = formatIp(strict);
  if (strict.family === 4 || canonical === text) return [];
  return [
    `${field}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}

export function cidrWarnings(text: string, field: string, { names }: HookContext): string[] {
  const cidr = readCidr(text);
  if (cidr === undefined) return [];
  const warnings: string[] = [];
  const quoted = JSON.stringify(text);
  const network = maskCidr(cidr);
  if (!equalIps(network.ip, cidr.ip)) {
    const masked = formatCidr(network);
    const single = `${formatIp(cidr.ip)}/${cidr.ip.bytes.length * 8}`;
    warnings.push(
      `${field}: CIDR value ${quoted} is ambiguous in this context (should be ${JSON.stringify(masked)} or ${JSON.stringify(single)}?)`,
    );
  }
  const strict = parseCidr(text);
  if (strict === undefined || isIpv4Mapped(strict.ip)) {
    warnings.push(
      `${field}: non-standard CIDR value ${quoted} will be considered invalid in ${names.futureRelease}: use ${JSON.stringify(formatCidr(network))}`,
    );
  } else if (strict.ip.family === 6 && formatCidr(strict) !== text) {
    const canonical = JSON.stringify(formatCidr(strict));
    warnings.push(`${field}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${canonical})`);
  }
  return warnings;
}

/** Whether `inner` is in `outer` and smaller. */
export function isStrictSubset(inner: Cidr, outer: Cidr): boolean {
  return inner.prefixLength > outer.prefixLength && cidrContainsCidr(outer, inner);
}

function oldIpSpelling(text: string, field: string): FieldError[] {
  const strict = parseIp(text);
  if (strict === undefined) return [invalid(field, text, "must not have leading 0s")];
  return isIpv4Mapped(strict) ? [invalid(field, text, "must not be an IPv4-mapped IPv6 address")] : [];
}

function oldCidrSpelling(text: string): string[] {
  const strict = parseCidr(text);
  if (strict === undefined) return ["must not have leading 0s in IP or prefix length"];
  if (isIpv4Mapped(strict.ip)) return ["must not have an IPv4-mapped IPv6 address"];
  return formatCidr(maskCidr(strict)) === formatCidr(strict) ? [] : ["must not have bits set beyond the prefix length"];
}
