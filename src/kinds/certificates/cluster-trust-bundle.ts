// ClusterTrustBundle: certificates that are trusted, for pods to mount.

import { opt, s } from "../../schema/builder.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateClusterTrustBundle, validateClusterTrustBundleUpdate } from "./cluster-trust-bundle-validation.ts";

export type ClusterTrustBundle = ObjectOf<typeof clusterTrustBundleSchema>;

const clusterTrustBundleSchema = objectSchema(
  "certificates.v1beta1.ClusterTrustBundle",
  "Certificates that are trusted, for pods to mount.",
  () => ({
    spec: s.of(clusterTrustBundleSpec, 2, "The trusted certificates and the signer they belong to."),
  }),
);

export const clusterTrustBundle = defineKind({
  group: "certificates",
  version: "v1beta1",
  kind: "ClusterTrustBundle",
  resource: "clustertrustbundles",
  scope: "Cluster",
  schema: clusterTrustBundleSchema,
  offByDefault: true,
  // What else it must be depends on the signer: judged with the rest.
  name: "pathSegment",
  columns: [NAME_COLUMN, { name: "SignerName", type: "string", cell: ({ spec }) => spec.signerName ?? "<none>" }],
  selectableFields: { "spec.signerName": ({ spec }) => spec.signerName ?? "" },
  hooks: { validate: validateClusterTrustBundle, validateUpdate: validateClusterTrustBundleUpdate },
});

const clusterTrustBundleSpec = s.struct(
  "certificates.v1beta1.ClusterTrustBundleSpec",
  "Root certificates, and the signer they belong to.",
  () => ({
    signerName: opt.string(
      1,
      "Signer whose certificates these roots verify; the name of the object must then begin with it. Cannot be changed.",
    ),
    trustBundle: s.string(
      2,
      "One or more distinct CA certificates as PEM blocks, at most 1 MiB. Their order has no meaning.",
    ),
  }),
);
