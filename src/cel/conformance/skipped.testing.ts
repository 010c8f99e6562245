// The cases of the conformance suite that do not run, one by one, each with its reason. A test fails when a case of
// these lists is unknown or would pass.

const STRONG_ENUMS = "enums are ints, as upstream has them; the case expects types of their own";

const BEYOND_THE_END = "upstream finds nothing beyond the end of a text, the case expects an error";
const NO_FIELDS = "upstream finds nothing behind an optional that has no fields, the case expects an error";
const FORMATS =
  "the API formats as the first version of the library: integers only for %d, raised exponents, elements as written";

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
  ["optionals/optionals/map_null_entry_no_such_key", NO_FIELDS],
  ["optionals/optionals/map_present_key_invalid_field", NO_FIELDS],
  ["string_ext/value_errors/indexof_out_of_range", BEYOND_THE_END],
  ["string_ext/value_errors/lastindexof_out_of_range", BEYOND_THE_END],
  ["string_ext/format/scientific notation formatting clause", FORMATS],
  ["string_ext/format/default precision for scientific notation", FORMATS],
  ["string_ext/format/positive infinity support for scientific notation", FORMATS],
  ["string_ext/format/negative infinity support for scientific notation", FORMATS],
  ["string_ext/format/NaN support for decimal", FORMATS],
  ["string_ext/format/positive infinity support for decimal", FORMATS],
  ["string_ext/format/negative infinity support for decimal", FORMATS],
  ["string_ext/format/positive infinity support for fixed-point", FORMATS],
  ["string_ext/format/negative infinity support for fixed-point", FORMATS],
  ["string_ext/format/list support for string", FORMATS],
  ["string_ext/format/map support for string", FORMATS],
  ["string_ext/format/map support (all key types)", FORMATS],
  ["string_ext/format/dyntype support for scientific notation", FORMATS],
  ["string_ext/format/dyntype NaN/infinity support", FORMATS],
  ["string_ext/format/dyntype support for lists", FORMATS],
  ["string_ext/format/dyntype support for maps", FORMATS],
  ["string_ext/format/scientific notation formatting clause in a string variable", FORMATS],
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
