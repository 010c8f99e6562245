// What IPAddress and ServiceCIDR must look like, in upstream's words.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, pathSegmentProblems } from "../../meta/name-formats.ts";
import type { IPAddress } from "./ip-address.ts";
import { readCidr, validateCanonicalCidr } from "./ip-fields.ts";
import type { ServiceCIDR } from "./service-cidr.ts";

const IMMUTABLE = "field is immutable";
const MAX_CIDRS = 2;

export function validateIPAddress({ spec: { parentRef } }: IPAddress): FieldError[] {
  const field = "spec.parentRef";
  if (!parentRef) return [required(field)];
  const { group = "", resource = "", name = "", namespace = "" } = parentRef;
  const errors: FieldError[] = [];
  const check = (part: string, value: string, problems: string[]) =>
    append(
      errors,
      problems.map((problem) => invalid(`${field}.${part}`, value, problem)),
    );
  if (group !== "") check("group", group, dns1123SubdomainProblems(group));
  if (resource === "") errors.push(required(`${field}.resource`));
  else check("resource", resource, pathSegmentProblems(resource));
  if (name === "") errors.push(required(`${field}.name`));
  else check("name", name, pathSegmentProblems(name));
  if (namespace !== "") check("namespace", namespace, pathSegmentProblems(namespace));
  return errors;
}

export function validateIPAddressUpdate(address: IPAddress, old: IPAddress): FieldError[] {
  const { parentRef } = address.spec;
  const errors: FieldError[] = [];
  if (!equalJson(parentRef, old.spec.parentRef)) {
    // Upstream shows its own form of the reference.
    const { group = "", resource = "", namespace = "", name = "" } = parentRef ?? {};
    const shown = parentRef ? { Group: group, Resource: resource, Namespace: namespace, Name: name } : null;
    errors.push(invalid("spec.parentRef", shown, IMMUTABLE));
  }
  return [...errors, ...validateIPAddress(address)];
}

export function validateServiceCIDR({ spec }: ServiceCIDR): FieldError[] {
  const field = "spec.cidrs";
  const cidrs = spec.cidrs ?? [];
  if (cidrs.length === 0) return [required(field, "at least one CIDR required")];
  if (cidrs.length > MAX_CIDRS) return [invalid(field, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const families = cidrs.map((cidr) => readCidr(cidr)?.ip.family);
  const errors = cidrs.flatMap((cidr, index) => validateCanonicalCidr(cidr, `${field}[${index}]`));
  if (cidrs.length > 1 && errors.length === 0 && families[0] === families[1]) {
    const detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    errors.push(invalid(field, cidrs, detail));
  }
  return errors;
}

/** A second family may be added, nothing else changes. */
export function validateServiceCIDRUpdate(cidr: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const now = cidr.spec.cidrs ?? [];
  const was = old.spec.cidrs ?? [];
  if (was.length === 1 && now.length === 2) {
    const first = now[0] === was[0] ? [] : [invalid("spec.cidrs[0]", now[0], IMMUTABLE)];
    return [...first, ...validateServiceCIDR(cidr)];
  }
  if (now.length !== was.length) return [invalid("spec.cidrs", cidr.spec.cidrs ?? null, IMMUTABLE)];
  return now.flatMap((text, index) => (text === was[index] ? [] : [invalid(`spec.cidrs[${index}]`, text, IMMUTABLE)]));
}
