// What an access review must look like. Requirements: document 2, "Access-review resources".

import { append } from "../../../base/append.ts";
import type { ResourceAttributes, SubjectAccessReviewSpec } from "../../../kinds/authorization/access-review-schema.ts";
import { validateFieldRequirement, validateLabelRequirement } from "../../../kinds/meta/selector-validation.ts";
import { type FieldError, invalid, required, tooLong } from "../../../meta/field-error.ts";
import type { ObjectMeta } from "../../../meta/object.ts";

type Spec = Partial<SubjectAccessReviewSpec>;
type SelectorAttributes = NonNullable<ResourceAttributes["fieldSelector"]>;

export function validateSelfReview(spec: Spec, metadata: ObjectMeta): FieldError[] {
  return [...validateSubjectOfReview(spec), ...validateSelectors(spec), ...validateMetadata(metadata, "must be empty")];
}

export function validateSubjectReview(spec: Spec, metadata: ObjectMeta): FieldError[] {
  return [...validateUserReview(spec), ...validateMetadata(metadata, "must be empty")];
}

export function validateLocalReview(spec: Spec, metadata: ObjectMeta): FieldError[] {
  const { namespace = "" } = metadata;
  const errors = [
    ...validateUserReview(spec),
    ...validateMetadata(metadata, "must be empty except for namespace", true),
  ];
  const resourceRequest = spec.resourceAttributes;
  if (resourceRequest !== undefined && resourceRequest !== null && (resourceRequest.namespace ?? "") !== namespace) {
    errors.push(
      invalid("spec.resourceAttributes.namespace", resourceRequest.namespace ?? "", "must match metadata.namespace"),
    );
  }
  if (isSet(spec.nonResourceAttributes)) {
    errors.push(invalid("spec.nonResourceAttributes", pathValue(spec), "disallowed on this kind of request"));
  }
  return errors;
}

function validateUserReview(spec: Spec): FieldError[] {
  const errors = validateSubjectOfReview(spec);
  if ((spec.user ?? "") === "" && (spec.groups ?? []).length === 0) {
    errors.push(invalid("spec.user", "", "at least one of user or group must be specified"));
  }
  return [...errors, ...validateSelectors(spec)];
}

function validateSubjectOfReview(spec: Spec): FieldError[] {
  const aboutResource = isSet(spec.resourceAttributes);
  const aboutPath = isSet(spec.nonResourceAttributes);
  if (aboutResource && aboutPath) {
    return [
      invalid(
        "spec.nonResourceAttributes",
        pathValue(spec),
        "cannot be specified in combination with resourceAttributes",
      ),
    ];
  }
  if (!aboutResource && !aboutPath) {
    return [
      invalid(
        "spec.resourceAttributes",
        null,
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ),
    ];
  }
  return [];
}

function validateSelectors({ resourceAttributes }: Spec): FieldError[] {
  if (!isSet(resourceAttributes)) return [];
  const { fieldSelector, labelSelector } = resourceAttributes!;
  return [
    ...validateSelector(fieldSelector, "spec.resourceAttributes.fieldSelector", validateFieldRequirement),
    ...validateSelector(labelSelector, "spec.resourceAttributes.labelSelector", validateLabelRequirement),
  ];
}

/** As much as the query of a request may hold. */
const MAX_SELECTOR_BYTES = 128 * 1024;

function validateSelector(
  selector: SelectorAttributes | null | undefined,
  field: string,
  validateRequirement: typeof validateFieldRequirement,
): FieldError[] {
  if (!isSet(selector)) return [];
  const { rawSelector = "", requirements } = selector!;
  const count = requirements?.length ?? 0;
  const errors: FieldError[] = [];
  if (rawSelector.length > MAX_SELECTOR_BYTES) return [tooLong(`${field}.rawSelector`, MAX_SELECTOR_BYTES)];
  if (rawSelector !== "" && count > 0) {
    errors.push(invalid(`${field}.rawSelector`, rawSelector, "may not specified at the same time as requirements"));
  }
  if (rawSelector === "" && count === 0) {
    errors.push(
      required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`),
    );
  }
  (requirements ?? []).forEach((requirement, index) => {
    append(
      errors,
      validateRequirement(requirement, `${field}.requirements[${index}]`, { allowUnknownOperators: true }),
    );
  });
  return errors;
}

/** Who recorded the fields does not count; the server itself has. */
function validateMetadata(metadata: ObjectMeta, detail: string, namespaced = false): FieldError[] {
  const { managedFields: _, namespace = "", ...others } = metadata;
  const counted = namespaced ? others : { ...others, namespace };
  const given = Object.values(counted).some((value) => value !== undefined && value !== null && value !== "");
  const { name, generateName, ...shown } = metadata;
  const first = { ...(name === undefined ? {} : { name }), ...(generateName === undefined ? {} : { generateName }) };
  return given ? [invalid("metadata", { ...first, ...(namespace === "" ? {} : { namespace }), ...shown }, detail)] : [];
}

/** As upstream's message shows it. */
function pathValue({ nonResourceAttributes }: Spec): unknown {
  return { Path: nonResourceAttributes?.path ?? "", Verb: nonResourceAttributes?.verb ?? "" };
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
