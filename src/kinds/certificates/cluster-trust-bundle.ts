// ClusterTrustBundle: certificates that are trusted, for pods to mount.

import { X509Certificate } from "node:crypto";
import { type PemBlock, pemBlocks } from "../../base/key-pair.ts";
import { type FieldError, invalid, tooLong } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { opt, s } from "../../schema/builder.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { checkSignerName } from "../core/signer-name-validation.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";

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
  gate: "ClusterTrustBundle",
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

const MAX_BUNDLE_BYTES = 1024 * 1024;

function validateClusterTrustBundle(bundle: ClusterTrustBundle): FieldError[] {
  return [...validateAllButBundle(bundle), ...validateBundle(bundle.spec.trustBundle)];
}

/** A bundle that stays as it is is not read again. */
function validateClusterTrustBundleUpdate(bundle: ClusterTrustBundle, old: ClusterTrustBundle): FieldError[] {
  const hasChanged = bundle.spec.trustBundle !== old.spec.trustBundle;
  const errors = hasChanged ? validateClusterTrustBundle(bundle) : validateAllButBundle(bundle);
  checkImmutable(bundle.spec.signerName ?? "", old.spec.signerName ?? "", "spec.signerName", errors);
  return errors;
}

function validateAllButBundle({ metadata, spec }: ClusterTrustBundle): FieldError[] {
  const errors: FieldError[] = [];
  const { name = "" } = metadata;
  addProblems(errors, "metadata.name", name, nameProblems(name, spec.signerName ?? ""));
  if (spec.signerName) checkSignerName(errors, "spec.signerName", spec.signerName);
  return errors;
}

function nameProblems(name: string, signer: string): readonly string[] {
  if (signer === "") {
    if (name.includes(":")) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return dns1123SubdomainProblems(name);
  }
  const prefix = `${signer.replaceAll("/", ":")}:`;
  if (name.startsWith(prefix)) return dns1123SubdomainProblems(name.slice(prefix.length));
  return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
}

function validateBundle(text: string): FieldError[] {
  const field = "spec.trustBundle";
  if (Buffer.byteLength(text) > MAX_BUNDLE_BYTES) return [tooLong(field, MAX_BUNDLE_BYTES)];
  const refuse = (detail: string): FieldError => invalid(field, "<value omitted>", detail);
  const errors: FieldError[] = [];
  const places = new Map<string, number[]>();
  pemBlocks(text).forEach((block, index) => {
    const read = readAuthority(block);
    if ("problem" in read) errors.push(refuse(`entry ${index} ${read.problem}`));
    else places.set(read.id, [...(places.get(read.id) ?? []), index]);
  });
  if (errors.length > 0) return errors;
  if (places.size === 0) return [refuse("at least one trust anchor must be provided")];
  return [...places.values()]
    .filter(({ length }) => length > 1)
    .map((indices) => refuse(`duplicate trust anchor (indices [${indices.join(" ")}])`));
}

/** `id` is the same for the same certificate. */
function readAuthority({ type, text }: PemBlock): { readonly id: string } | { readonly problem: string } {
  if (type !== "CERTIFICATE") return { problem: `has bad block type: ${type}` };
  if (text.includes(":")) return { problem: "has PEM block headers" };
  try {
    const certificate = new X509Certificate(text);
    if (!certificate.ca) return { problem: "does not have the CA bit set" };
    return { id: certificate.fingerprint256 };
  } catch {
    return { problem: "does not parse as X.509" };
  }
}
