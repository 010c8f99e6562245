// The question that authorization answers, and its answers. Requirements: document 2, "Authorization verdicts".

import type { Rule } from "../meta/access-rule.ts";
import type { UserInfo } from "../meta/user.ts";

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

export interface Attributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** Undefined for non-resource requests. */
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
    /** Requirements of the request's selectors, where the gate AuthorizeWithSelectors is on. */
    readonly fieldSelector?: readonly SelectorRequirement[];
    readonly labelSelector?: readonly SelectorRequirement[];
  };
  /** Of non-resource requests. */
  readonly path?: string;
}

export type Verdict = "allow" | "deny" | "no-opinion";

export interface Decision {
  readonly verdict: Verdict;
  /** Why; shown to the caller of a refused request. */
  readonly reason: string;
  /** Something went wrong while deciding; a review shows it. */
  readonly error?: string;
}

/** Who waits for an answer, until it leaves. */
export interface WaitingCaller {
  readonly signal: AbortSignal;
}

export interface Authorizer {
  /** Once the caller has left, nobody is asked any more. */
  authorize(attributes: Attributes, caller?: WaitingCaller): Decision | Promise<Decision>;
}

/** All that a user may do in a namespace, as far as it can be listed. */
export interface HeldRules {
  readonly rules: readonly Rule[];
  /** What went wrong on the way; a review shows it. */
  readonly problems: readonly string[];
  /** There may be more than what is listed. */
  readonly incomplete: boolean;
}

export interface RuleResolver {
  /** A promise where there is much of it, or somebody must be waited for. */
  rulesFor(user: UserInfo, namespace: string): HeldRules | Promise<HeldRules>;
}
