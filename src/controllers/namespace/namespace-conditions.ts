// What the status of an ending namespace says: what keeps it, and how much is left. Pure. The words are upstream's.

import type { Namespace } from "../../kinds/core/namespace.ts";

type Condition = NonNullable<NonNullable<Namespace["status"]>["conditions"]>[number];

/** What one pass over a namespace has found. */
export interface EmptyingReport {
  /** Groups whose resources are not known, with the reason. */
  readonly undiscovered: readonly string[];
  /** What could not be deleted or looked at, with the reason. */
  readonly failures: readonly string[];
  /** How many objects of each resource are left, by `pods.` or `widgets.example.com`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** How many objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Statement {
  readonly type: string;
  readonly reasons: { readonly good: string; readonly bad: string };
  readonly good: string;
  /** Undefined when all is well. */
  bad(report: EmptyingReport): string | undefined;
}

const listed = (entries: ReadonlyMap<string, number>, sentence: (name: string, count: number) => string): string =>
  [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => sentence(name, count))
    .join(", ");

const STATEMENTS: readonly Statement[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    reasons: { good: "ResourcesDiscovered", bad: "DiscoveryFailed" },
    good: "All resources successfully discovered",
    bad: ({ undiscovered }) =>
      undiscovered.length === 0
        ? undefined
        : `Discovery failed for some groups, ${undiscovered.length} failing: ${undiscovered.join(", ")}`,
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    reasons: { good: "ParsedGroupVersions", bad: "GroupVersionParsingFailed" },
    good: "All legacy kube types successfully parsed",
    // What discovery says is read as a whole or not at all.
    bad: () => undefined,
  },
  {
    type: "NamespaceDeletionContentFailure",
    reasons: { good: "ContentDeleted", bad: "ContentDeletionFailed" },
    good: "All content successfully deleted, may be waiting on finalization",
    bad: ({ failures }) =>
      failures.length === 0
        ? undefined
        : `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(", ")}`,
  },
  {
    type: "NamespaceContentRemaining",
    reasons: { good: "ContentRemoved", bad: "SomeResourcesRemain" },
    good: "All content successfully removed",
    bad: ({ remaining }) =>
      remaining.size === 0
        ? undefined
        : `Some resources are remaining: ${listed(remaining, (name, count) => `${name} has ${count} resource instances`)}`,
  },
  {
    type: "NamespaceFinalizersRemaining",
    reasons: { good: "ContentHasNoFinalizers", bad: "SomeFinalizersRemain" },
    good: "All content-preserving finalizers finished",
    bad: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : `Some content in the namespace has finalizers remaining: ${listed(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
  },
];

/** Messages are cut: a namespace may hold any number of things that cannot be deleted. */
const MAX_MESSAGE_CHARS = 4_096;

/** The conditions as they should be; undefined when they are so already. */
export function namespaceConditions(
  current: readonly Condition[],
  report: EmptyingReport,
  now: string,
): Condition[] | undefined {
  let changed = false;
  const own = STATEMENTS.map((statement): Condition => {
    const bad = statement.bad(report)?.slice(0, MAX_MESSAGE_CHARS);
    const status = bad === undefined ? "False" : "True";
    const reason = bad === undefined ? statement.reasons.good : statement.reasons.bad;
    const message = bad ?? statement.good;
    const known = current.find(({ type }) => type === statement.type);
    if (known?.status === status && known.reason === reason && known.message === message) return known;
    changed = true;
    const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? now) : now;
    return { type: statement.type, status, lastTransitionTime, reason, message };
  });
  if (!changed) return undefined;
  const others = current.filter(({ type }) => !STATEMENTS.some((statement) => statement.type === type));
  return [...others, ...own];
}
