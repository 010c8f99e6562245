// The YAML parser: text to a flat list of events. What they mean is up to compose.ts.

import {
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";
import { DecodeError, MAX_NESTING_DEPTH } from "../decode-error.ts";

export type { Event, ScalarEvent };
export { EVENT_ID, SCALAR_STYLE };

/** Fails with a DecodeError. */
export function parseYaml(source: string): Event[] {
  const version = VERSION.exec(source)?.[1];
  if (version !== undefined && version !== "1.1") throw new DecodeError("yaml: found incompatible YAML document");
  try {
    return parseEvents(source, { maxDepth: MAX_NESTING_DEPTH });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw problemAt(error, source, error.mark?.position ?? 0);
  }
}

/** The version that a document says it is written in, behind comments at the most. */
const VERSION = /^(?:[ \t]*(?:#.*)?\n)*%YAML[ \t]+(\S+)/;

/** The text of a scalar, without quotes and escapes. Fails with a DecodeError. */
export function scalarText(source: string, event: ScalarEvent): string {
  try {
    return getScalarValue(source, event);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw problemAt(error, source, event.valueStart);
  }
}

function problemAt({ reason }: YAMLException, source: string, position: number): DecodeError {
  const line = lineOf(source, position);
  const problem = REASONS.get(reason) ?? reason;
  return new DecodeError(`yaml: ${line === 1 && WITHOUT_FIRST_LINE.has(problem) ? "" : `line ${line}: `}${problem}`);
}

/** What upstream finds while it reads characters, of which it does not name the first line. */
const WITHOUT_FIRST_LINE: ReadonlySet<string> = new Set([
  "found character that cannot start any token",
  "found unexpected end of stream",
  "found unknown escape character",
  "mapping values are not allowed in this context",
]);

/** Counted from one. */
export function lineOf(source: string, position: number): number {
  let line = 1;
  for (let at = source.indexOf("\n"); at >= 0 && at < position; at = source.indexOf("\n", at + 1)) line++;
  return line;
}

/** Upstream's words for the most frequent mistakes. */
const REASONS = new Map([
  ["tab characters must not be used in indentation", "found character that cannot start any token"],
  ["unexpected end of the stream within a flow collection", "did not find expected node content"],
  ["unexpected end of the stream within a single quoted scalar", "found unexpected end of stream"],
  ["unexpected end of the stream within a double quoted scalar", "found unexpected end of stream"],
  ["end of the stream or a document separator is expected", "did not find expected '-' indicator"],
  ["bad indentation of a mapping entry", "mapping values are not allowed in this context"],
  ["deficient indentation", "did not find expected ',' or ']'"],
  ["unknown escape sequence", "found unknown escape character"],
  ["the stream contains non-printable characters", "control characters are not allowed"],
]);
