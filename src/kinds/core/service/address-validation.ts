// The cluster addresses of a Service, their families, and what an update may do to them.
// Requirements: document 3, "Service": ipFamilies, ipFamilyPolicy, clusterIP, clusterIPs.

import { append } from "../../../base/append.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../meta/field-error.ts";
import type { HookContext } from "../../define-kind.ts";
import { familyOf, readIp, validateLegacyIp } from "../../networking/ip-fields.ts";
import { HEADLESS, isHeadless, needsClusterIp } from "./needs.ts";
import type { Service, ServiceSpec } from "./schema.ts";

const FAMILIES = ["IPv4", "IPv6"];
const FAMILY_POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const MAX_CLUSTER_IPS = 2;

/** Whether addresses, families and policy fit together. Also asked before allocation, which relies on it. */
export function validateClusterAddresses(
  service: Service,
  old: Service | undefined,
  context: HookContext,
): FieldError[] {
  const { spec } = service;
  // Those must not be there at all, which another check says.
  if (!needsClusterIp(spec)) return [];
  const errors = [...validateFirst(spec), ...validateFamilies(spec)];
  const found = validateAddresses(spec, new Set(old?.spec.clusterIPs), context);
  const clusterIPs = spec.clusterIPs ?? [];
  append(errors, found);
  if (clusterIPs.length > MAX_CLUSTER_IPS) {
    errors.push(invalid("spec.clusterIPs", clusterIPs, `may only hold up to ${MAX_CLUSTER_IPS} values`));
  }
  if (found.length > 0) return errors;
  const families = clusterIPs.map((ip) => familyName(ip));
  if (clusterIPs.length > 1 && new Set(families).size < FAMILIES.length) {
    errors.push(invalid("spec.clusterIPs", clusterIPs, "may specify no more than one IP for each IP family"));
  }
  if (!isHeadless(service)) append(errors, matchFamilies(spec, families));
  return errors;
}

/** What an update may change of addresses and families: a second one may come and go, the first one stays. */
export function validateAddressUpdate(service: Service, old: Service): FieldError[] {
  const { spec } = service;
  const before = old.spec;
  if (!needsClusterIp(spec) || !needsClusterIp(before)) return [];
  return [...validateAddressChange(spec, before), ...validateFamilyChange(service, old)];
}

function validateFirst(spec: ServiceSpec): FieldError[] {
  const field = "spec.clusterIPs";
  const clusterIPs = spec.clusterIPs ?? [];
  if ((spec.clusterIP ?? "") === "") {
    if (clusterIPs.length === 0) return [];
    return [invalid(field, clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (clusterIPs.length === 0) return [required(field)];
  return clusterIPs[0] === spec.clusterIP ? [] : [invalid(field, clusterIPs, "first value must match `clusterIP`")];
}

function validateFamilies(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (spec.ipFamilies ?? []).forEach((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.push(notSupported(field, family, FAMILIES));
    if (seen.has(family)) errors.push(duplicate(field, family));
    seen.add(family);
  });
  const policy = spec.ipFamilyPolicy;
  if (policy !== undefined && !FAMILY_POLICIES.includes(policy)) {
    errors.push(notSupported("spec.ipFamilyPolicy", policy, FAMILY_POLICIES));
  }
  return errors;
}

function validateAddresses(spec: ServiceSpec, existing: ReadonlySet<string>, context: HookContext): FieldError[] {
  const clusterIPs = spec.clusterIPs ?? [];
  return clusterIPs.flatMap((ip, index) => {
    if (index > 0 || ip !== HEADLESS) return validateLegacyIp(ip, `spec.clusterIPs[${index}]`, context, existing);
    if (clusterIPs.length === 1) return [];
    return [invalid("spec.clusterIPs", clusterIPs, "'None' must be the first and only value")];
  });
}

function matchFamilies(spec: ServiceSpec, families: readonly (string | undefined)[]): FieldError[] {
  const wanted = spec.ipFamilies ?? [];
  return families.flatMap((family, index) => {
    const expected = wanted[index];
    if (expected === undefined || expected === family || !FAMILIES.includes(expected)) return [];
    const detail = `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``;
    return [invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs?.[index], detail)];
  });
}

const ONCE = "may not change once set";

function validateAddressChange(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  const now = spec.clusterIPs ?? [];
  const was = before.clusterIPs ?? [];
  const errors: FieldError[] = [];
  for (const index of [0, 1]) {
    // The second one is compared only where both have it: it may be added, and removed with the right policy.
    if (was[index] === undefined || (index === 1 && now[index] === undefined)) continue;
    if (now[index] === undefined) {
      errors.push(invalid("spec.clusterIPs[0]", now, "primary clusterIP can not be unset"));
    } else if (now[index] !== was[index]) {
      errors.push(invalid(`spec.clusterIPs[${index}]`, now, ONCE));
    }
  }
  if (was.length === 2 && now.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy ?? null, detail));
  }
  return errors;
}

function validateFamilyChange(service: Service, old: Service): FieldError[] {
  const { spec } = service;
  const before = old.spec;
  const now = spec.ipFamilies ?? [];
  const was = before.ipFamilies ?? [];
  const errors: FieldError[] = [];
  // Without addresses and without a selector nobody depends on the order of families.
  if (isFreelyDualStack(service) && isFreelyDualStack(old)) return errors;
  // Nor where all addresses are those of the pods.
  const headless = [spec, before].every(({ clusterIPs }) => clusterIPs?.[0] === HEADLESS);
  if (headless && now.length === was.length) return errors;
  if (was.length > 0 && now.length === 0) {
    errors.push(invalid("spec.ipFamilies[0]", now, "primary ipFamily can not be unset"));
  } else {
    for (const index of [0, 1]) {
      if (was[index] === undefined || now[index] === undefined || was[index] === now[index]) continue;
      errors.push(invalid(`spec.ipFamilies[${index}]`, now, ONCE));
    }
  }
  if (was.length === 2 && now.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    const detail = "must be set to 'SingleStack' when releasing the secondary ipFamily";
    errors.push(invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy ?? null, detail));
  }
  return errors;
}

function isFreelyDualStack(service: Service): boolean {
  return isHeadless(service) && Object.keys(service.spec.selector ?? {}).length === 0;
}

function familyName(ip: string): string | undefined {
  const read = readIp(ip);
  return read === undefined ? undefined : familyOf(read);
}
