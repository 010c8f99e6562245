// Authorizers in order: the first allow or deny is final, no opinion from all is none. `system:masters` stands above them.
// Requirements: document 2, "Authorization verdicts".

import { append } from "../base/append.ts";
import type { Rule } from "../meta/access-rule.ts";
import { SYSTEM_MASTERS, type UserInfo } from "../meta/user.ts";
import type {
  Attributes,
  Authorizer,
  Decision,
  HeldRules,
  RuleResolver,
  WaitingCaller,
} from "../registry/authorizer.ts";

/** One authorizer of the chain; name and type are those of the metrics. */
export interface ChainLink {
  readonly type: "Webhook" | "Node" | "RBAC" | "ABAC" | "AlwaysAllow" | "AlwaysDeny";
  readonly name: string;
  readonly authorizer: Authorizer;
  readonly rules: RuleResolver;
  /** Lets go of connections. */
  close?(): void;
}

/** Told of every decision of a link that is an opinion. */
export type OnDecision = (link: ChainLink, verdict: "allow" | "deny") => void;

const MASTERS_MAY: Decision = { verdict: "allow", reason: "" };

export class AuthorizerChain implements Authorizer, RuleResolver {
  #links: readonly ChainLink[];
  readonly #onDecision: OnDecision | undefined;

  constructor(links: readonly ChainLink[], onDecision?: OnDecision) {
    this.#links = links;
    this.#onDecision = onDecision;
  }

  /** Requests that are being decided keep the links they began with. */
  replace(links: readonly ChainLink[]): void {
    this.#links = links;
  }

  /** Answers at once where no link has to wait. */
  authorize(attributes: Attributes, caller?: WaitingCaller): Decision | Promise<Decision> {
    if (attributes.user.groups.includes(SYSTEM_MASTERS)) return MASTERS_MAY;
    return this.#ask(this.#links, 0, attributes, caller, [], []);
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<HeldRules> {
    let rules: readonly Rule[] = [];
    const problems: string[] = [];
    let incomplete = false;
    for (const link of this.#links) {
      const held = await link.rules.rulesFor(user, namespace);
      // There may be very many, and most often all are of one link.
      if (held.rules.length > 0) rules = rules.length === 0 ? held.rules : rules.concat(held.rules);
      append(problems, held.problems);
      incomplete ||= held.incomplete;
    }
    return { rules, problems, incomplete };
  }

  #ask(
    links: readonly ChainLink[],
    from: number,
    attributes: Attributes,
    caller: WaitingCaller | undefined,
    reasons: string[],
    errors: string[],
  ): Decision | Promise<Decision> {
    for (let at = from; at < links.length; at += 1) {
      const link = links[at]!;
      const answer = link.authorizer.authorize(attributes, caller);
      if (answer instanceof Promise) {
        return answer.then(
          (decision) =>
            this.#take(link, decision, reasons, errors) ??
            this.#ask(links, at + 1, attributes, caller, reasons, errors),
        );
      }
      const final = this.#take(link, answer, reasons, errors);
      if (final !== undefined) return final;
    }
    return {
      verdict: "no-opinion",
      reason: reasons.join("\n"),
      ...(errors.length === 0 ? {} : { error: errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]` }),
    };
  }

  #take(link: ChainLink, decision: Decision, reasons: string[], errors: string[]): Decision | undefined {
    if (decision.verdict !== "no-opinion") {
      this.#onDecision?.(link, decision.verdict);
      return decision;
    }
    if (decision.reason !== "") reasons.push(decision.reason);
    if (decision.error !== undefined) errors.push(decision.error);
    return undefined;
  }
}
