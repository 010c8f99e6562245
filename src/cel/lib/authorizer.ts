// The authorizer library: expressions ask whether somebody may do something.
// The answers come from outside through AuthorizerPort, synchronously: rules are evaluated without waiting.

import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { textCostOf } from "../cost/actual.ts";
import { addRanges, exactly, type Range, scaleRange, textCost, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, type Library, memberOverload, type OverloadCosts } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { countWork } from "../operations/work.ts";
import { BOOL, type CelType, opaqueType, STRING } from "../types.ts";
import { CelOpaque, type CelValue } from "../values.ts";

/** What is asked. */
export type AuthorizerQuestion =
  | {
      readonly kind: "path";
      readonly path: string;
      readonly verb: string;
      readonly subject: AuthorizerSubject | undefined;
    }
  | {
      readonly kind: "resource";
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly verb: string;
      /** Texts as the expression gave them; empty when it gave none. */
      readonly fieldSelector: string;
      readonly labelSelector: string;
      readonly subject: AuthorizerSubject | undefined;
    };

/** A service account to ask for instead of the user of the request. */
interface AuthorizerSubject {
  readonly namespace: string;
  readonly name: string;
}

export interface AuthorizerAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** Set when the question could not be answered. */
  readonly error?: string;
}

export interface AuthorizerPort {
  check(question: AuthorizerQuestion): AuthorizerAnswer;
}

/** Enough for two questions within the limit of one evaluation, not for three. */
const CHECK_COST = 350_000;
/** A selector makes a list of requirements, each a struct with a list. */
const REQUIREMENTS_PER_CHARACTER = 0.5;
const COST_PER_REQUIREMENT = 10 + 40;
const SELECTOR_BASE_COST = 10;

class AuthorizerValue extends CelOpaque {
  readonly type: CelType;
  readonly port: AuthorizerPort;
  readonly subject: AuthorizerSubject | undefined;

  constructor(type: CelType, port: AuthorizerPort, subject: AuthorizerSubject | undefined) {
    super();
    this.type = type;
    this.port = port;
    this.subject = subject;
  }

  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

/** A question that is being put together. */
class CheckValue extends CelOpaque {
  readonly type: CelType;
  readonly authorizer: AuthorizerValue;
  readonly question: QuestionParts;

  constructor(type: CelType, authorizer: AuthorizerValue, question: QuestionParts) {
    super();
    this.type = type;
    this.authorizer = authorizer;
    this.question = question;
  }

  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

interface QuestionParts {
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

class DecisionValue extends CelOpaque {
  readonly type: CelType;
  readonly answer: AuthorizerAnswer;

  constructor(type: CelType, answer: AuthorizerAnswer) {
    super();
    this.type = type;
    this.answer = answer;
  }

  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

/** The types of the library and the values to put into an activation. */
interface AuthorizerTypes {
  readonly authorizer: CelType;
  readonly pathCheck: CelType;
  readonly groupCheck: CelType;
  readonly resourceCheck: CelType;
  readonly decision: CelType;
}

/** `namespace` is the brand that the library's types are named with. */
export function authorizerTypes(namespace: string): AuthorizerTypes {
  const type = (name: string): CelType => opaqueType(`${namespace}.authorization.${name}`);
  return {
    authorizer: type("Authorizer"),
    pathCheck: type("PathCheck"),
    groupCheck: type("GroupCheck"),
    resourceCheck: type("ResourceCheck"),
    decision: type("Decision"),
  };
}

/** The value of the variable `authorizer`. */
export function authorizerValue(types: AuthorizerTypes, port: AuthorizerPort): CelValue {
  return new AuthorizerValue(types.authorizer, port, undefined);
}

/** The value of `authorizer.requestResource`: a check with the resource of the request filled in. */
export function requestResourceValue(
  types: AuthorizerTypes,
  port: AuthorizerPort,
  request: Required<Pick<QuestionParts, "group" | "resource" | "subresource" | "namespace" | "name">>,
): CelValue {
  return new CheckValue(types.resourceCheck, new AuthorizerValue(types.authorizer, port, undefined), request);
}

/** How many characters of a name are looked at in the time of one unit of work. */
const CHECKED_PER_WORK = 8;

export function authorizerLibrary(types: AuthorizerTypes): Library {
  const { authorizer, pathCheck, groupCheck, resourceCheck, decision } = types;
  const part = (name: string, key: keyof QuestionParts) =>
    declareFunction(
      name,
      memberOverload(
        `resourcecheck_${name}`,
        [resourceCheck, STRING],
        resourceCheck,
        (check: CheckValue, value: string) => {
          return new CheckValue(resourceCheck, check.authorizer, { ...check.question, [key]: value });
        },
      ),
    );
  const answer = (name: string, type: CelType, read: (answer: AuthorizerAnswer) => CelValue) =>
    declareFunction(
      name,
      memberOverload(`decision_${name}`, [decision], type, (value: DecisionValue) => read(value.answer)),
    );
  const check = (value: CheckValue, verb: string): CelValue => new DecisionValue(decision, ask(value, verb));
  return {
    name: "authorizer",
    types: Object.values(types),
    functions: [
      declareFunction(
        "path",
        memberOverload("authorizer_path", [authorizer, STRING], pathCheck, (value: AuthorizerValue, path: string) => {
          return path === "" ? new CelError("path must not be empty") : new CheckValue(pathCheck, value, { path });
        }),
      ),
      declareFunction(
        "group",
        memberOverload(
          "authorizer_group",
          [authorizer, STRING],
          groupCheck,
          (value: AuthorizerValue, group: string) => {
            return new CheckValue(groupCheck, value, { group });
          },
        ),
      ),
      declareFunction(
        "serviceAccount",
        memberOverload(
          "authorizer_serviceaccount",
          [authorizer, STRING, STRING],
          authorizer,
          (value: AuthorizerValue, namespace: string, name: string) => {
            countWork((namespace.length + name.length) / CHECKED_PER_WORK);
            if (dns1123SubdomainProblems(name).length > 0) return new CelError("Invalid service account name");
            if (dns1123LabelProblems(namespace).length > 0) return new CelError("Invalid service account namespace");
            return new AuthorizerValue(authorizer, value.port, { namespace, name });
          },
        ),
      ),
      declareFunction(
        "resource",
        memberOverload(
          "groupcheck_resource",
          [groupCheck, STRING],
          resourceCheck,
          (value: CheckValue, resource: string) => {
            if (resource === "") return new CelError("resource must not be empty");
            return new CheckValue(resourceCheck, value.authorizer, { ...value.question, resource });
          },
        ),
      ),
      part("subresource", "subresource"),
      part("namespace", "namespace"),
      part("name", "name"),
      declareFunction(
        "check",
        memberOverload("pathcheck_check", [pathCheck, STRING], decision, check, CHECK_COSTS),
        memberOverload("resourcecheck_check", [resourceCheck, STRING], decision, check, CHECK_COSTS),
      ),
      answer("allowed", BOOL, (found) => found.allowed),
      answer("reason", STRING, (found) => found.reason),
      answer("errored", BOOL, (found) => found.error !== undefined),
      answer("error", STRING, (found) => found.error ?? ""),
    ],
  };
}

/** `fieldSelector` and `labelSelector`, behind their own gate. */
export function authorizerSelectorsLibrary(types: AuthorizerTypes): Library {
  const { resourceCheck } = types;
  const selector = (name: "fieldSelector" | "labelSelector") =>
    declareFunction(
      name,
      memberOverload(
        `authorizer_${name.toLowerCase()}`,
        [resourceCheck, STRING],
        resourceCheck,
        (check: CheckValue, text: string) => {
          return new CheckValue(resourceCheck, check.authorizer, { ...check.question, [name]: text });
        },
        SELECTOR_COSTS,
      ),
    );
  return { name: "authorizer selectors", functions: [selector("fieldSelector"), selector("labelSelector")] };
}

const CHECK_COSTS: OverloadCosts = {
  cost: () => CHECK_COST,
  estimate: () => ({ cost: exactly(CHECK_COST) }),
};

const SELECTOR_COSTS: OverloadCosts = {
  cost: ([, text = ""]) => {
    const length = typeof text === "string" ? Array.from(text).length : 1;
    const requirements = Math.ceil(length * REQUIREMENTS_PER_CHARACTER);
    return SELECTOR_BASE_COST + textCostOf(text) + requirements * COST_PER_REQUIREMENT;
  },
  estimate: ([, text]) => {
    const size: Range = text?.size ?? UNKNOWN_SIZE;
    const requirements = scaleRange(scaleRange(size, REQUIREMENTS_PER_CHARACTER), COST_PER_REQUIREMENT);
    return { cost: addRanges(addRanges(exactly(SELECTOR_BASE_COST), textCost(size)), requirements) };
  },
};

function ask(check: CheckValue, verb: string): AuthorizerAnswer {
  const { port, subject } = check.authorizer;
  const { path, group = "", resource = "", subresource = "", namespace = "", name = "" } = check.question;
  const { fieldSelector = "", labelSelector = "" } = check.question;
  if (path !== undefined) return port.check({ kind: "path", path, verb, subject });
  return port.check({
    kind: "resource",
    group,
    resource,
    subresource,
    namespace,
    name,
    verb,
    fieldSelector,
    labelSelector,
    subject,
  });
}
