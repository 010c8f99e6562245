// Which address families a Service has, and which of its addresses a writer meant to keep: everything that is settled
// before addresses are allocated. Pure. Requirements: document 3, "Service": ipFamilies, ipFamilyPolicy, clusterIPs.

import { equalJson } from "../../base/json.ts";
import { validateClusterAddresses } from "../../kinds/core/service/address-validation.ts";
import { HEADLESS, needsClusterIp } from "../../kinds/core/service/needs.ts";
import type { Service } from "../../kinds/core/service/schema.ts";
import type { HookContext } from "../../kinds/define-kind.ts";
import { familyOf, type IpFamily, readIp } from "../../kinds/networking/ip-fields.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";

/** The families that the cluster has, the default one first. */
export type ClusterFamilies = readonly [IpFamily] | readonly [IpFamily, IpFamily];

/** clusterIP and clusterIPs say the same: one that the writer left out follows the other. */
export function settleClusterIps({ spec }: Service, old: Service | undefined): void {
  const clusterIP = spec.clusterIP ?? "";
  const clusterIPs = spec.clusterIPs ?? [];
  if (old === undefined) {
    if (clusterIP !== "" && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const was = old.spec.clusterIP ?? "";
  const wereSet = old.spec.clusterIPs ?? [];
  // A client that knows only the one field left the other out.
  if (clusterIPs.length === 0 && wereSet.length > 0 && clusterIP === was) spec.clusterIPs = [...wereSet];
  if (clusterIP === was || (clusterIPs.length > 0 && !equalJson(clusterIPs, wereSet))) return;
  if (clusterIP === "") delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}

/** Fills in policy and families. What it answers refuses the write. */
export function settleFamilies(
  service: Service,
  old: Service | undefined,
  cluster: ClusterFamilies,
  context: HookContext,
): FieldError[] {
  const { spec } = service;
  if (!needsClusterIp(spec) || staysPreferDual(service, old)) return [];
  const free = spec.clusterIP === HEADLESS && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (free ? "RequireDualStack" : "SingleStack");

  const unfit = validateClusterAddresses(service, old, context);
  if (unfit.length > 0) return unfit;
  const errors = [...settleSecond(service, old), ...inferFamilies(service, cluster)];
  if (errors.length > 0) return errors;

  const families = spec.ipFamilies ?? [];
  if (free) {
    // Nothing is allocated and nobody is selected: such a service may name families that the cluster does not have.
    spec.ipFamilies = families.length === 0 ? [cluster[0]] : families;
    if (spec.ipFamilies.length === 1 && spec.ipFamilyPolicy !== "SingleStack") addOther(spec.ipFamilies);
    return [];
  }
  if (spec.ipFamilyPolicy === "RequireDualStack" && cluster.length < 2) {
    const detail = "this cluster is not configured for dual-stack services";
    errors.push(invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, detail));
  }
  families.forEach((family, index) => {
    if (!(cluster as readonly string[]).includes(family)) {
      errors.push(invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
    }
  });
  if (errors.length > 0) return errors;
  spec.ipFamilies = families.length === 0 ? [cluster[0]] : families;
  if (spec.ipFamilyPolicy !== "SingleStack" && spec.ipFamilies.length === 1 && cluster.length === 2) {
    addOther(spec.ipFamilies);
  }
  return [];
}

/** A service that prefers two families is not changed when the cluster has got or lost one, only when its writer asks. */
function staysPreferDual({ spec }: Service, old: Service | undefined): boolean {
  if (old === undefined || old.spec.type !== spec.type) return false;
  return (
    spec.ipFamilyPolicy === "PreferDualStack" &&
    old.spec.ipFamilyPolicy === "PreferDualStack" &&
    equalJson(spec.clusterIPs ?? [], old.spec.clusterIPs ?? []) &&
    equalJson(spec.ipFamilies ?? [], old.spec.ipFamilies ?? [])
  );
}

/** The second address and family: may be given up with SingleStack only, and then need not be taken off the lists. */
function settleSecond({ spec }: Service, old: Service | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const wrong = (detail: string) => errors.push(invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, detail));
  const single = spec.ipFamilyPolicy === "SingleStack";
  if (old !== undefined && !single) {
    // What the writer left out is not given up: it is settled anew.
    const fewer = (now: readonly unknown[] = [], was: readonly unknown[] = []) =>
      now.length > 0 && now.length < was.length;
    if (fewer(spec.clusterIPs, old.spec.clusterIPs)) wrong("must be 'SingleStack' to release the secondary cluster IP");
    if (fewer(spec.ipFamilies, old.spec.ipFamilies)) wrong("must be 'SingleStack' to release the secondary IP family");
  }
  if (old !== undefined && single) {
    if (spec.clusterIPs?.length === 2 && equalJson(spec.clusterIPs, old.spec.clusterIPs)) {
      spec.clusterIPs = spec.clusterIPs.slice(0, 1);
    }
    if (spec.ipFamilies?.length === 2 && equalJson(spec.ipFamilies, old.spec.ipFamilies)) {
      spec.ipFamilies = spec.ipFamilies.slice(0, 1);
    }
  }
  if (single) {
    const policies = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (spec.clusterIPs?.length === 2) wrong(`${policies} cluster IPs are specified`);
    if (spec.ipFamilies?.length === 2) wrong(`${policies} IP families are specified`);
  }
  return errors;
}

/** Addresses that were given say their families. */
function inferFamilies({ spec }: Service, cluster: ClusterFamilies): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, text] of (spec.clusterIPs ?? []).entries()) {
    if (text === HEADLESS) break;
    if (index < (spec.ipFamilies ?? []).length) continue;
    const family = familyOf(readIp(text)!);
    if ((cluster as readonly string[]).includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else {
      const detail = `${family} is not configured on this cluster`;
      errors.push(invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs, detail));
    }
  }
  return errors;
}

function addOther(families: ("" | IpFamily)[]): void {
  families.push(families[0] === "IPv4" ? "IPv6" : "IPv4");
}
