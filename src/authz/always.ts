// The authorizers that look at nothing: AlwaysAllow and, for tests, AlwaysDeny.

import { FULL_AUTHORITY } from "../meta/access-rule.ts";
import type { ChainLink } from "./chain.ts";

export const alwaysAllow: ChainLink = {
  type: "AlwaysAllow",
  name: "alwaysallow",
  authorizer: { authorize: () => ({ verdict: "allow", reason: "" }) },
  rules: { rulesFor: () => ({ rules: FULL_AUTHORITY, problems: [], incomplete: false }) },
};

/** Says no opinion, as upstream does, so that it denies only what nobody behind it allows. */
export const alwaysDeny: ChainLink = {
  type: "AlwaysDeny",
  name: "alwaysdeny",
  authorizer: { authorize: () => ({ verdict: "no-opinion", reason: "Everything is forbidden." }) },
  rules: { rulesFor: () => ({ rules: [], problems: [], incomplete: false }) },
};
