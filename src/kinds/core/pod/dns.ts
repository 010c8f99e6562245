// How names are resolved in a pod.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";

export const hostAlias = s.struct("core.v1.HostAlias", "Names that the hosts file gives to an address.", () => ({
  ip: s.string(1, "The address."),
  hostnames: opt.atomic("string", 2, "Names for the address."),
}));

export type PodDNSConfig = ObjectOf<typeof podDNSConfig>;

export const podDNSConfig = s.struct("core.v1.PodDNSConfig", "Settings of name resolution in a pod.", () => ({
  nameservers: opt.atomic(
    "string",
    1,
    "Addresses of name servers, after those of the policy; at most 3 in all. Duplicates are dropped.",
  ),
  searches: opt.atomic(
    "string",
    2,
    "Domains in which short names are looked up, after those of the policy. Duplicates are dropped.",
  ),
  options: opt.atomic(
    podDNSConfigOption,
    3,
    "Options of the resolver; of the same name they win over those of the policy.",
  ),
}));

const podDNSConfigOption = s.struct("core.v1.PodDNSConfigOption", "An option of the resolver.", () => ({
  name: opt.string(1, "Name of the option, such as `ndots`. Required."),
  value: ptr.string(2, "Value of the option, if it has one."),
}));
