// Who of the candidates for a lease is the one to hold it, and by which rule they want that decided. Pure.

import type { LeaseCandidate } from "../../kinds/coordination/lease-candidate.ts";
import {
  compareSemanticVersions,
  parseSemanticVersion,
  type SemanticVersion,
} from "../../kinds/meta/semantic-version.ts";

/**
 * Who behaves like the oldest release; of equals the oldest program, and then who came first: during an upgrade nobody leads
 * with what the others do not understand yet. Undefined when no candidate says its versions.
 */
export function bestCandidate<C extends LeaseCandidate>(candidates: Iterable<C>): C | undefined {
  let best: C | undefined;
  for (const candidate of candidates) {
    if (versionsOf(candidate) === undefined) continue;
    if (best === undefined || compare(candidate, best) < 0) best = candidate;
  }
  return best;
}

/** What candidates agree on: the newest program has the last word, for it knows all rules. */
type Agreement =
  | { readonly strategy: string }
  /** Two equally new programs want different rules: nobody is chosen before somebody has mended that. */
  | { readonly dispute: string };

/** `candidates`: at least one. */
export function agreedStrategy(candidates: readonly LeaseCandidate[]): Agreement {
  let newest = candidates[0]!;
  let disputed: LeaseCandidate | undefined;
  for (const candidate of candidates) {
    const order = compareVersions(candidate.spec.binaryVersion, newest.spec.binaryVersion);
    if (order > 0) [newest, disputed] = [candidate, undefined];
    else if (order === 0 && candidate.spec.strategy !== newest.spec.strategy) disputed ??= candidate;
  }
  if (disputed === undefined) return { strategy: newest.spec.strategy ?? "" };
  const said = ({ metadata, spec }: LeaseCandidate) => `${metadata.name} (${spec.strategy})`;
  return { dispute: `candidates of the same version want different strategies: ${said(newest)}, ${said(disputed)}` };
}

function compare(a: LeaseCandidate, b: LeaseCandidate): number {
  return (
    compareVersions(a.spec.emulationVersion, b.spec.emulationVersion) ||
    compareVersions(a.spec.binaryVersion, b.spec.binaryVersion) ||
    compareTexts(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
    compareTexts(a.metadata.name ?? "", b.metadata.name ?? "")
  );
}

function versionsOf({ spec }: LeaseCandidate): readonly SemanticVersion[] | undefined {
  const versions = [spec.emulationVersion, spec.binaryVersion].map((text) => parseSemanticVersion(text ?? ""));
  return versions.every((version) => version !== undefined) ? versions : undefined;
}

/** What cannot be read counts as 0.0.0. */
const compareVersions = (a: string | undefined, b: string | undefined): number =>
  compareSemanticVersions(parseSemanticVersion(a ?? "") ?? NO_VERSION, parseSemanticVersion(b ?? "") ?? NO_VERSION);

const NO_VERSION: SemanticVersion = { numbers: [0n, 0n, 0n], preRelease: [] };

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
