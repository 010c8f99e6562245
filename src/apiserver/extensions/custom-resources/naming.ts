// Which names a definition gets when others of its group hold some already. Pure.

import { equalJson } from "../../../base/json.ts";
import { type DefinitionNames, type DefinitionSummary, isEstablished } from "./definition.ts";

export interface NamingOutcome {
  readonly accepted: DefinitionNames;
  /** Undefined: no conflict. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/** What was served once stays so. */
export function isServed(definition: DefinitionSummary, { conflict }: NamingOutcome): boolean {
  return isEstablished(definition) || (conflict === undefined && !definition.badAuthority);
}

/** The names that definitions of one group hold. A word may be held by several: all it takes is a store of another time. */
export class HeldNames {
  /** Plural, singular and short names: they share the path. */
  readonly resources = new Map<string, number>();
  readonly kinds = new Map<string, number>();

  hold(names: DefinitionNames): void {
    this.#add(names, 1);
  }

  release(names: DefinitionNames): void {
    this.#add(names, -1);
  }

  #add({ plural, singular, shortNames, kind, listKind }: DefinitionNames, more: 1 | -1): void {
    for (const word of [plural, singular, ...shortNames]) count(this.resources, word, more);
    for (const word of [kind, listKind]) count(this.kinds, word, more);
  }
}

function count(holders: Map<string, number>, word: string, more: number): void {
  if (word === "") return;
  const now = (holders.get(word) ?? 0) + more;
  if (now > 0) holders.set(word, now);
  else holders.delete(word);
}

/** Names that were accepted before stay, until those asked for are free. The last conflict is the one that is told. */
export function decideNames(
  { names, acceptedNames }: Pick<DefinitionSummary, "names" | "acceptedNames">,
  taken: Pick<HeldNames, "resources" | "kinds">,
): NamingOutcome {
  const accepted: { -readonly [K in keyof DefinitionNames]: DefinitionNames[K] } = {
    ...acceptedNames,
    categories: names.categories,
  };
  let conflict: NamingOutcome["conflict"];
  const decide = (
    key: "plural" | "singular" | "kind" | "listKind",
    reason: string,
    held: ReadonlyMap<string, number>,
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
