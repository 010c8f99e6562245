// How names are resolved in a pod.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type HostAlias = ObjectOf<typeof hostAlias>;

export const hostAlias = s.struct(
  "core.v1.HostAlias",
  { doc: "Names that the hosts file gives to an address." },
  () => ({
    ip: s.string({ proto: 1, doc: "The address." }),
    hostnames: s.list("string", { proto: 2, optional: true, listType: "atomic", doc: "Names for the address." }),
  }),
);

export type PodDNSConfig = ObjectOf<typeof podDNSConfig>;

export const podDNSConfig = s.struct("core.v1.PodDNSConfig", { doc: "Settings of name resolution in a pod." }, () => ({
  nameservers: s.list("string", {
    proto: 1,
    optional: true,
    listType: "atomic",
    doc: "Addresses of name servers, after those of the policy; at most 3 in all. Duplicates are dropped.",
  }),
  searches: s.list("string", {
    proto: 2,
    optional: true,
    listType: "atomic",
    doc: "Domains in which short names are looked up, after those of the policy. Duplicates are dropped.",
  }),
  options: s.list(podDNSConfigOption, {
    proto: 3,
    optional: true,
    listType: "atomic",
    doc: "Options of the resolver; of the same name they win over those of the policy.",
  }),
}));

export type PodDNSConfigOption = ObjectOf<typeof podDNSConfigOption>;

export const podDNSConfigOption = s.struct("core.v1.PodDNSConfigOption", { doc: "An option of the resolver." }, () => ({
  name: s.string({ proto: 1, optional: true, doc: "Name of the option, such as `ndots`. Required." }),
  value: s.string({ proto: 2, optional: true, pointer: true, doc: "Value of the option, if it has one." }),
}));
