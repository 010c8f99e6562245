// Every regular expression of the sources takes time that grows with its text, whatever the text: each is asked for long texts
// of its own characters that it nearly matches. One that takes longer stands below, with what keeps long texts from it.

import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { readSources } from "../house/sources.testing.ts";

const LENGTH = 8_000;
/** Of one text. Linear ones take a hundredth of it, all others several times as much. */
const MAX_MS = 40;
/** Of all texts of one pattern, some hundreds. */
const TIMEOUT_MS = 400;
const CONFIRMATIONS = 5;
const MOST_CHARACTERS = 24;
const MOST_IN_PAIRS = 7;
const MOST_WORDS = 3;

const BOUNDED: Readonly<Record<string, string>> = {
  "src/authn/oidc/compile-entry.ts: /\\/+$/": "a configuration of those who run the server",
  "src/base/log.ts: /\\s*\\n\\s*/g": "what the system says",
  "src/cel/lib/format-numbers.ts: /\\B(?=(?:\\d{3})+$)/g": "the digits of a number of 64 bits",
  "src/cel/operations/time.ts: /(\\d*)\\.?(\\d*)([a-z\\u00b5\\u03bc]+)/g": "MAX_TIME_TEXT",
  "src/cel/operations/time.ts: /0+$/": "the digits of nanoseconds",
  "src/cmd/plinth.ts: /\\s*\\n\\s*/g": "why a start failed",
  "src/codec/cbor/decode.ts: /\\.?0*Z$/": "a date as this program writes it",
  "src/meta/duration.ts: /0+$/": "the digits of nanoseconds",
  "src/meta/ip.ts: /(^|[.:])0+(?=[0-9]+(?:[./]|$))/g": "MAX_IP_LENGTH",
  "src/kinds/core/persistent-volume/spec-validation.ts: /\\/+$/":
    "a path that has no two slashes side by side any more",
  "src/nodeagent/containers/hosts-file.ts: /[-.]+$/": "MAX_HOSTNAME",
  "src/nodeagent/node/machine.ts: /\\d+\\/(\\d+)/": "what the kernel says",
  "src/scheduler/extenders/extender.ts: /\\/+$/": "a configuration of those who run the scheduler",
  "src/schema/walk.ts: /([^.]*)\\.([^.]*)$/": "names of types in the sources",
  "src/schema/walk.ts: /[^.]*\\.[^.]*$/": "names of types in the sources",
};

interface Pattern {
  readonly name: string;
  readonly source: string;
  readonly flags: string;
}

const patterns = readSources().flatMap(({ path, text, isTest }) => (isTest ? [] : patternsIn(path, text)));
const slow = patterns.filter(isSlow).map(({ name }) => name);

it("all of them take linear time", () => {
  expect(patterns.length).toBeGreaterThan(500);
  expect(slow.filter((name) => BOUNDED[name] === undefined)).toEqual([]);
});

it("each exception is one", () => {
  expect(Object.keys(BOUNDED).filter((name) => !slow.includes(name))).toEqual([]);
});

function patternsIn(path: string, text: string): Pattern[] {
  // What stands where a value may stand, and is no comment.
  const literals = text.matchAll(
    /(?<=[=(,:[!&|?{};\s])\/((?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)(?=[\s.,;)\]}:])/g,
  );
  return [...literals].flatMap(([literal, source = "", flags = ""]) => {
    try {
      new RegExp(source, flags);
      return [{ name: `${path}: ${literal}`, source, flags }];
    } catch {
      return [];
    }
  });
}

function isSlow(pattern: Pattern): boolean {
  const first = slowText(pattern, textsFor(pattern.source));
  if (first === undefined || pattern.name in BOUNDED) return first !== undefined;
  // Others who use the machine may be the reason, but not every time.
  return Array.from({ length: CONFIRMATIONS }).every(() => slowText(pattern, [first]) !== undefined);
}

/** The first text that takes long, if there is one. */
function slowText({ source, flags }: Pattern, texts: readonly string[]): string | undefined {
  const state = { text: "", isSlow: false };
  const now = () => performance.now();
  const each = `for (state.text of texts) {
    const from = now();
    new RegExp(source, flags).test(state.text);
    state.isSlow = now() - from > max;
    if (state.isSlow) break;
  }`;
  try {
    runInNewContext(each, { texts, source, flags, now, state, max: MAX_MS }, { timeout: TIMEOUT_MS });
    return state.isSlow ? state.text : undefined;
  } catch {
    return state.text;
  }
}

/** Long texts that end as nothing ends that a pattern wants: of one character or two in turns, also behind a word of it. */
function textsFor(source: string): readonly string[] {
  const plain = source.replaceAll(/\\[a-zA-Z]/g, "");
  const characters = [...new Set(`0a ./${plain.replaceAll(/[\\^$|()[\]{}?*+]/g, "")}`)].slice(0, MOST_CHARACTERS);
  const words = ["", ...(plain.match(/[\w.:/ -]{2,}/g) ?? []).slice(0, MOST_WORDS)];
  const repeated = (text: string) => text.repeat(Math.ceil(LENGTH / text.length));
  const pairs = characters.slice(0, MOST_IN_PAIRS);
  return [
    ...characters.flatMap((character) => words.map((word) => `${word}${repeated(character)}\u0001`)),
    ...pairs.flatMap((one) => pairs.flatMap((other) => words.map((word) => `${word}${repeated(one + other)}\u0001`))),
    ...words.slice(1).flatMap((word) => ["", ...pairs].map((character) => `${repeated(word + character)}\u0001`)),
  ];
}
