// Which quotes a text needs in YAML: none where it reads back as the same text, single ones where its characters would be
// taken for syntax, double ones where it would read as another type or has characters that need escapes.

import { resolvePlain } from "./resolve.ts";

export type ScalarStyle = "plain" | "single" | "double" | "literal";

export function styleOf(text: string, isKey: boolean): ScalarStyle {
  if (WORD.test(text) && typeof resolvePlain(text) === "string") return "plain";
  const form = analyze(text);
  if (text.includes("\n")) return form.blockAllowed && !isKey ? "literal" : "double";
  if (typeof resolvePlain(text) !== "string" || text === "<<" || SEXAGESIMAL.test(text)) return "double";
  if (TIMESTAMP.test(text)) return "double";
  if (form.plainAllowed) return "plain";
  return form.singleAllowed ? "single" : "double";
}

/** Most texts: nothing in them is syntax, and none is a number or a time. */
const WORD = /^[A-Za-z][\w./-]*$/;

/** Numbers to the base of sixty, which old parsers read as such. */
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

interface ScalarForm {
  readonly plainAllowed: boolean;
  readonly singleAllowed: boolean;
  readonly blockAllowed: boolean;
}

function analyze(text: string): ScalarForm {
  const special = UNPRINTABLE.test(text);
  const spaceBeforeBreak = / \n/.test(text);
  const spaceAfterBreak = /\n /.test(text);
  const edges = /^[ \n]|[ \n]$/.test(text);
  const indicators = hasIndicators(text);
  const singleAllowed = !special && !spaceBeforeBreak && !spaceAfterBreak;
  return {
    plainAllowed: singleAllowed && !edges && !indicators && !text.includes("\n"),
    singleAllowed,
    blockAllowed: !special && !spaceBeforeBreak && !text.endsWith(" "),
  };
}

/** Characters beyond the basic plane count as unprintable upstream. */
const UNPRINTABLE = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const LEADING_INDICATORS = /^[#,[\]{}&*!|>'"%@`]/;

function hasIndicators(text: string): boolean {
  if (text.startsWith("---") || text.startsWith("...")) return true;
  if (LEADING_INDICATORS.test(text) || /^[?:-](?:[ \t\n]|$)/.test(text)) return true;
  return /:(?:[ \t\n]|$)/.test(text) || /[ \t\n]#/.test(text);
}

const DATE = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}";
const CLOCK = "[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\\.[0-9]+)?";
/** Dates that parsers of YAML 1.1 turn into times. */
const TIMESTAMP = new RegExp(`^${DATE}(?:[Tt]${CLOCK}(?:Z|[-+][0-9]{2}:[0-9]{2})| ${CLOCK})?$`);
