// What a version says of itself that is not to be used any more. Requirements: document 1, "Versioning".

import type { GroupKey, Names } from "../meta/names.ts";
import { apiVersionOf } from "../meta/object.ts";

interface TypeName {
  readonly group: GroupKey;
  readonly version: string;
  readonly kind: string;
}

/** The release that deprecated it, the one that serves it no more, and what takes its place. */
export interface Lifecycle {
  readonly since: string;
  readonly removedRelease?: string;
  readonly instead?: TypeName;
}

export interface Deprecation {
  warning(names: Names): string;
  readonly removedRelease?: string;
}

export function deprecation(what: TypeName, { since, removedRelease, instead }: Lifecycle): Deprecation {
  return {
    ...(removedRelease === undefined ? {} : { removedRelease }),
    warning(names) {
      const until = removedRelease === undefined ? "" : `, unavailable in v${removedRelease}+`;
      const better = instead === undefined ? "" : `; use ${describe(instead, names)}`;
      return `${describe(what, names)} is deprecated in v${since}+${until}${better}`;
    },
  };
}

function describe({ group, version, kind }: TypeName, names: Names): string {
  return `${apiVersionOf(names.group(group), version)} ${kind}`;
}
