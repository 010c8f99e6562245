// LeaseCandidate: one that may become the holder of a lease.

import { OLDEST_EMULATION_VERSION } from "../../meta/election-strategy.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { configMapKeyProblems } from "../../meta/name-formats.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { checkFields, FILLED, fieldErrors } from "../../schema/check-fields.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from "../meta/semantic-version.ts";
import { checkStrategy } from "./lease.ts";

export type LeaseCandidate = ObjectOf<typeof leaseCandidateSchema>;

const leaseCandidateSchema = objectSchema(
  "coordination.v1beta1.LeaseCandidate",
  "One that may become the holder of a lease.",
  () => ({
    spec: opt.of(leaseCandidateSpec, 2, "The lease wanted, and what the candidate brings."),
  }),
);

export const leaseCandidate = defineKind({
  group: "coordination",
  version: "v1beta1",
  kind: "LeaseCandidate",
  resource: "leasecandidates",
  scope: "Namespaced",
  schema: leaseCandidateSchema,
  freeFinalizers: true,
  createOnUpdate: true,
  offByDefault: true,
  name: configMapKeyProblems,
  columns: [
    NAME_COLUMN,
    { name: "LeaseName", type: "string", cell: ({ spec }) => spec.leaseName },
    { name: "BinaryVersion", type: "string", cell: ({ spec }) => spec.binaryVersion },
    { name: "EmulationVersion", type: "string", cell: ({ spec }) => spec.emulationVersion ?? "" },
    AGE_COLUMN,
  ],
  hooks: { validate: validateLeaseCandidate, validateUpdate: validateLeaseCandidateUpdate },
});

const leaseCandidateSpec = s.struct(
  "coordination.v1beta1.LeaseCandidateSpec",
  "What a candidate says of itself to be chosen as the holder of a lease.",
  () => ({
    leaseName: s.string(1, "Lease in the same namespace that the candidate wants to hold. Cannot be changed.", {
      must: FILLED,
    }),
    pingTime: ptr.microTime(
      2,
      "When the election last asked the candidate for a sign of life; it answers by setting renewTime.",
    ),
    renewTime: ptr.microTime(
      3,
      "When the candidate last showed that it is alive. One that stays silent is not chosen.",
    ),
    binaryVersion: s.string(4, "Version of the candidate's program, as a semantic version without a leading v.", {
      must: { filled: true, form: versionProblems },
    }),
    emulationVersion: opt.string(
      5,
      "Version that the candidate behaves like, not above binaryVersion. Required with OldestEmulationVersion.",
      { must: { form: versionProblems } },
    ),
    strategy: s.named(
      "v1.CoordinatedLeaseStrategy",
      6,
      "How the holder is chosen: OldestEmulationVersion, or a rule of another election as domain/name.",
      { omitEmpty: true, must: FILLED },
    ),
  }),
);

function validateLeaseCandidate({ spec }: LeaseCandidate): FieldError[] {
  const errors = fieldErrors(spec, leaseCandidateSpec, "spec", ["leaseName", "emulationVersion", "binaryVersion"]);
  const emulated = versionOf(spec.emulationVersion);
  const binary = versionOf(spec.binaryVersion);
  if (spec.binaryVersion !== "" && spec.emulationVersion && compareSemanticVersions(binary, emulated) < 0) {
    const detail = "must be greater than or equal to `emulationVersion`";
    errors.push(invalid("spec.binaryVersion", spec.binaryVersion, detail));
  }
  checkFields(spec, leaseCandidateSpec, "spec", errors, ["strategy"]);
  if (!spec.strategy) return errors;
  if (spec.strategy === OLDEST_EMULATION_VERSION && compareSemanticVersions(emulated, NO_VERSION) === 0) {
    const detail = "must be specified when `strategy` is 'OldestEmulationVersion'";
    errors.push(required("spec.emulationVersion", detail));
  }
  checkStrategy(spec.strategy, "spec.strategy.strategy", errors);
  return errors;
}

function validateLeaseCandidateUpdate(candidate: LeaseCandidate, old: LeaseCandidate): FieldError[] {
  const errors = validateLeaseCandidate(candidate);
  checkImmutable(candidate.spec.leaseName, old.spec.leaseName, "spec.leaseName", errors);
  return errors;
}

const NO_VERSION: SemanticVersion = { numbers: [0n, 0n, 0n], preRelease: [] };

/** What is not given, or cannot be read, counts as 0.0.0. */
const versionOf = (text: string | undefined): SemanticVersion => parseSemanticVersion(text ?? "") ?? NO_VERSION;

const versionProblems = (text: string): string[] =>
  parseSemanticVersion(text) === undefined ? ["must be a valid semantic version"] : [];
