// The cases of the conformance suite that do not run, one by one, each with its reason. A test fails when a case of
// these lists is unknown or would pass.

const STRONG_ENUMS = "enums are ints, as upstream has them; the case expects types of their own";

export const SKIPPED: ReadonlyMap<string, string> = new Map([
  [
    "timestamps/duration_converters/get_milliseconds",
    "upstream gives all milliseconds of the span, the case expects those beyond the last full second",
  ],
  ["enums/strong_proto2/literal_global", STRONG_ENUMS],
  ["enums/strong_proto2/literal_nested", STRONG_ENUMS],
  ["enums/strong_proto2/literal_zero", STRONG_ENUMS],
  ["enums/strong_proto2/type_global", STRONG_ENUMS],
  ["enums/strong_proto2/type_nested", STRONG_ENUMS],
  ["enums/strong_proto2/select_default", STRONG_ENUMS],
  ["enums/strong_proto2/field_type", STRONG_ENUMS],
  ["enums/strong_proto2/assign_standalone_int", STRONG_ENUMS],
  ["enums/strong_proto2/convert_unnamed_to_int", STRONG_ENUMS],
  ["enums/strong_proto2/convert_int_inrange", STRONG_ENUMS],
  ["enums/strong_proto2/convert_int_big", STRONG_ENUMS],
  ["enums/strong_proto2/convert_int_neg", STRONG_ENUMS],
  ["enums/strong_proto2/convert_string", STRONG_ENUMS],
  ["enums/strong_proto3/literal_global", STRONG_ENUMS],
  ["enums/strong_proto3/literal_nested", STRONG_ENUMS],
  ["enums/strong_proto3/literal_zero", STRONG_ENUMS],
  ["enums/strong_proto3/type_global", STRONG_ENUMS],
  ["enums/strong_proto3/type_nested", STRONG_ENUMS],
  ["enums/strong_proto3/select_default", STRONG_ENUMS],
  ["enums/strong_proto3/select", STRONG_ENUMS],
  ["enums/strong_proto3/select_big", STRONG_ENUMS],
  ["enums/strong_proto3/select_neg", STRONG_ENUMS],
  ["enums/strong_proto3/field_type", STRONG_ENUMS],
  ["enums/strong_proto3/assign_standalone_int", STRONG_ENUMS],
  ["enums/strong_proto3/assign_standalone_int_big", STRONG_ENUMS],
  ["enums/strong_proto3/assign_standalone_int_neg", STRONG_ENUMS],
  ["enums/strong_proto3/convert_unnamed_to_int", STRONG_ENUMS],
  ["enums/strong_proto3/convert_int_inrange", STRONG_ENUMS],
  ["enums/strong_proto3/convert_int_big", STRONG_ENUMS],
  ["enums/strong_proto3/convert_int_neg", STRONG_ENUMS],
  ["enums/strong_proto3/convert_string", STRONG_ENUMS],
]);

const NULL_WINS =
  "the reference joins null with a nullable type to null; the case itself says the nullable type, and wins";

/** Cases whose values and types are compared, but not the tree that the reference printed. */
export const TREE_DIFFERS: ReadonlyMap<string, string> = new Map([
  [
    "type_deductions/wrappers/wrapper_promotion_2",
    "the reference joins an int with a wrapper to int; the case itself says wrapper, and wins",
  ],
  ["type_deductions/legacy_nullable_types/null_assignable_to_message_parameter_candidate", NULL_WINS],
  ["type_deductions/legacy_nullable_types/null_assignable_to_duration_parameter_candidate", NULL_WINS],
  ["type_deductions/legacy_nullable_types/null_assignable_to_timestamp_parameter_candidate", NULL_WINS],
  ["type_deductions/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate", NULL_WINS],
]);
