// The Accept header as a list, most wanted first. Requirements: document 1, "Request and response headers".

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly params: ReadonlyMap<string, string>;
}

/** Longer headers are cut: no client names more media types than that. */
const MAX_CLAUSES = 64;

/** Malformed clauses are skipped. A quality of zero only moves a clause to the end, as upstream has it. */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(",", MAX_CLAUSES)) {
    const clause = parseClause(part);
    if (clause !== undefined) clauses.push(clause);
  }
  return clauses.sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

function parseClause(part: string): AcceptClause | undefined {
  const [range = "", ...settings] = part.trim().split(";");
  const [type = "", subtype, ...rest] = range.split("/").map((word) => word.trim());
  if (rest.length > 0) return undefined;
  if (subtype === undefined || subtype === "") return type === "*" ? clauseOf("*", "*", settings) : undefined;
  return clauseOf(type, subtype, settings);
}

function clauseOf(type: string, subtype: string, settings: readonly string[]): AcceptClause {
  const params = new Map<string, string>();
  let quality = 1;
  for (const setting of settings) {
    const [name = "", value, ...rest] = setting.split("=");
    if (value === undefined || value === "" || rest.length > 0) continue;
    if (name.trim() === "q") quality = parseQuality(value);
    else params.set(name.trim(), value.trim());
  }
  return { type, subtype, quality, params };
}

function parseQuality(text: string): number {
  const quality = text === "" ? Number.NaN : Number(text);
  return Number.isNaN(quality) ? 0 : quality;
}

function wildcards(clause: AcceptClause): number {
  return (clause.type === "*" ? 2 : 0) + (clause.subtype === "*" ? 1 : 0);
}
