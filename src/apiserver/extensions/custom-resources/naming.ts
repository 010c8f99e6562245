// Which names a definition gets when others of its group hold some already. Pure.

import { equalJson } from "../../../base/json.ts";
import { type DefinitionNames, type DefinitionSummary, isEstablished } from "./definition.ts";

/** What other definitions of the group hold. */
interface TakenNames {
  /** Plural, singular and short names: they share the path. */
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface NamingOutcome {
  readonly accepted: DefinitionNames;
  /** Undefined: no conflict. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/** What was served once stays so. */
export function isServed(definition: DefinitionSummary, { conflict }: NamingOutcome): boolean {
  return isEstablished(definition) || (conflict === undefined && !definition.badAuthority);
}

export function takenBy(others: Iterable<DefinitionNames>): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const names of others) {
    for (const word of [names.plural, names.singular, ...names.shortNames]) if (word !== "") resources.add(word);
    for (const word of [names.kind, names.listKind]) if (word !== "") kinds.add(word);
  }
  return { resources, kinds };
}

/** Names that were accepted before stay, until those asked for are free. The last conflict is the one that is told. */
export function decideNames(
  { names, acceptedNames }: Pick<DefinitionSummary, "names" | "acceptedNames">,
  taken: TakenNames,
): NamingOutcome {
  const accepted: { -readonly [K in keyof DefinitionNames]: DefinitionNames[K] } = {
    ...acceptedNames,
    categories: names.categories,
  };
  let conflict: NamingOutcome["conflict"];
  const decide = (
    key: "plural" | "singular" | "kind" | "listKind",
    reason: string,
    held: ReadonlySet<string>,
  ): void => {
    const word = names[key];
    if (word !== acceptedNames[key] && held.has(word)) conflict = { reason, message: inUse(word) };
    else accepted[key] = word;
  };
  decide("plural", "PluralConflict", taken.resources);
  decide("singular", "SingularConflict", taken.resources);
  if (!equalJson(names.shortNames, acceptedNames.shortNames)) {
    const refused = names.shortNames.filter(
      (word) => !acceptedNames.shortNames.includes(word) && taken.resources.has(word),
    );
    if (refused.length > 0) conflict = { reason: "ShortNamesConflict", message: aggregate(refused.map(inUse)) };
    else accepted.shortNames = names.shortNames;
  }
  decide("kind", "KindConflict", taken.kinds);
  decide("listKind", "ListKindConflict", taken.kinds);
  return { accepted, conflict };
}

const inUse = (word: string): string => `${JSON.stringify(word)} is already in use`;

const aggregate = (messages: readonly string[]): string =>
  messages.length === 1 ? messages[0]! : `[${messages.join(", ")}]`;
