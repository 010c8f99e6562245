// Every bound of the expression language, with upstream's values where upstream has them.

/** Longer texts are refused before they are read. */
export const MAX_EXPRESSION_CODE_POINTS = 100_000;
/** Nested brackets, calls, unary operators and conditionals. */
export const MAX_NESTING = 250;
/** Height of the syntax tree, chains of operators and selections included; every stage follows it on the stack. */
export const MAX_TREE_HEIGHT = 1_000;
/** Nodes of the syntax tree, those included that macros make: each stage goes over all of them at once. */
export const MAX_TREE_NODES = 8_192;
/** A text with more mistakes reports only these. */
export const MAX_REPORTED_ISSUES = 100;
/** What one evaluation may cost. */
export const PER_CALL_COST_LIMIT = 1_000_000;
/** What the evaluations of one request may cost together. */
export const REQUEST_COST_LIMIT = 10_000_000;
/** What the match conditions of one request may cost together. */
export const MATCH_CONDITIONS_COST_LIMIT = 2_500_000;
/** Iterations between two looks at whether the caller still waits. */
export const INTERRUPT_CHECK_ITERATIONS = 100;
/** The largest estimate that a rule of a custom resource may have. */
export const RULE_ESTIMATE_LIMIT = 10_000_000;
/** The largest sum of estimates for one schema. */
export const SCHEMA_ESTIMATE_LIMIT = 100_000_000;
/** Characters of text that an evaluation may build into one string or list; more fails instead of filling memory. */
export const MAX_RESULT_SIZE = 16 * 1024 * 1024;
/** Compiled programs that one environment keeps, for each kind of result that is asked for. */
export const MAX_CACHED_PROGRAMS = 1_024;
export const MAX_CACHED_PROGRAM_BYTES = 64 * 1024 * 1024;
/** The longest pattern that is compiled. */
export const MAX_PATTERN_LENGTH = 4_096;
/** The largest program that a pattern may become; repetitions make many instructions of few characters. */
export const MAX_PATTERN_INSTRUCTIONS = 10_000;
/** A request body: what unbounded texts, lists and maps of an object can have at most. */
export const MAX_REQUEST_BYTES = 3_145_728;
/** Units of work that one evaluation may do, about 50 nanoseconds each, whatever upstream counts for it. */
export const MAX_WORK = 1_000_000;
/** The same for the evaluations of one request together. */
export const MAX_REQUEST_WORK = 10_000_000;
/** What an evaluation may cost, and the work that it may do, before it has to be one that can pause: some milliseconds. */
export const QUICK_COST = 5_000;
export const QUICK_WORK = 20_000;
