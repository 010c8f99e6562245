// Who holds the default roles; the bindings of the controllers follow from their roles.

import { account, type BindingDeclaration, group, user } from "./declare.ts";

export const CLUSTER_BINDINGS: readonly BindingDeclaration[] = [
  { name: "cluster-admin", role: "cluster-admin", subjects: [group("system:masters")] },
  { name: "system:basic-user", role: "system:basic-user", subjects: [group("system:authenticated")] },
  { name: "system:discovery", role: "system:discovery", subjects: [group("system:authenticated")] },
  {
    name: "system:kube-controller-manager",
    role: "system:kube-controller-manager",
    subjects: [user("system:kube-controller-manager")],
  },
  { name: "system:kube-dns", role: "system:kube-dns", subjects: [account("kube-dns")] },
  { name: "system:kube-scheduler", role: "system:kube-scheduler", subjects: [user("system:kube-scheduler")] },
  { name: "system:monitoring", role: "system:monitoring", subjects: [group("system:monitoring")] },
  { name: "system:node", role: "system:node", subjects: [] },
  { name: "system:node-proxier", role: "system:node-proxier", subjects: [user("system:kube-proxy")] },
  {
    name: "system:public-info-viewer",
    role: "system:public-info-viewer",
    subjects: [group("system:authenticated"), group("system:unauthenticated")],
  },
  {
    name: "system:service-account-issuer-discovery",
    role: "system:service-account-issuer-discovery",
    subjects: [group("system:serviceaccounts")],
  },
  { name: "system:volume-scheduler", role: "system:volume-scheduler", subjects: [user("system:kube-scheduler")] },
  {
    name: "system:cluster-trust-bundle-discovery",
    gate: "ClusterTrustBundleProjection",
    role: "system:cluster-trust-bundle-discovery",
    subjects: [group("system:serviceaccounts")],
  },
];

export const NAMESPACE_BINDINGS: readonly BindingDeclaration[] = [
  {
    namespace: "public",
    name: "system:controller:bootstrap-signer",
    role: "system:controller:bootstrap-signer",
    subjects: [account("bootstrap-signer")],
  },
  {
    namespace: "system",
    name: "system::extension-apiserver-authentication-reader",
    role: "extension-apiserver-authentication-reader",
    subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler")],
  },
  {
    namespace: "system",
    name: "system::leader-locking-kube-controller-manager",
    role: "system::leader-locking-kube-controller-manager",
    subjects: [
      user("system:kube-controller-manager"),
      account("kube-controller-manager"),
      account("leader-election-controller"),
    ],
  },
  {
    namespace: "system",
    name: "system::leader-locking-kube-scheduler",
    role: "system::leader-locking-kube-scheduler",
    subjects: [user("system:kube-scheduler"), account("kube-scheduler")],
  },
  {
    namespace: "system",
    name: "system:controller:bootstrap-signer",
    role: "system:controller:bootstrap-signer",
    subjects: [account("bootstrap-signer")],
  },
  {
    namespace: "system",
    name: "system:controller:cloud-provider",
    role: "system:controller:cloud-provider",
    subjects: [account("cloud-provider")],
  },
  {
    namespace: "system",
    name: "system:controller:token-cleaner",
    role: "system:controller:token-cleaner",
    subjects: [account("token-cleaner")],
  },
];
