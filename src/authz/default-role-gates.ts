// The feature gates on which the default roles and bindings depend. Written down, so that who asks for them need not load the
// roles, which a store that was prepared has already.

/** All of them are off unless asked for. */
export const DEFAULT_ROLE_GATES = [
  "ClusterTrustBundleProjection",
  "ComponentFlagz",
  "ComponentStatusz",
  "DRADeviceTaints",
  "DRAExtendedResource",
  "PodCertificateRequest",
] as const;
