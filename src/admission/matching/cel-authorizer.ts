// The authorizer as expressions ask it. Its answers may have to be waited for, expressions cannot: an open question ends
// the evaluation, which is run again once the answer is known.

import type { Steps } from "../../base/steps.ts";
import {
  type AuthorizerAnswer,
  type AuthorizerPort,
  type AuthorizerQuestion,
  authorizerTypes,
  authorizerValue,
  requestResourceValue,
} from "../../cel/api-environment.ts";
import type { CelValue } from "../../cel/values.ts";
import type { Names } from "../../meta/names.ts";
import { serviceAccountGroups, serviceAccountUser } from "../../meta/service-account-user.ts";
import { AUTHENTICATED_GROUP, type UserInfo } from "../../meta/user.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Attributes, Authorizer, Decision } from "../../registry/authorizer.ts";
import { readFieldSelector, readLabelSelector } from "../../registry/read-selectors.ts";
import { toldNamespace } from "../match-request.ts";
import { soon } from "./soon.ts";

/** More questions of one request than budgets ever allow. */
const MAX_ROUNDS = 1000;

export class CelAuthorizer implements AuthorizerPort {
  readonly #authorizer: Authorizer;
  readonly #user: UserInfo;
  readonly #answers = new Map<string, AuthorizerAnswer>();

  constructor(authorizer: Authorizer, user: UserInfo) {
    this.#authorizer = authorizer;
    this.#user = user;
  }

  check(question: AuthorizerQuestion): AuthorizerAnswer {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const asked = this.#authorizer.authorize(this.#attributes(question));
    if (!(asked instanceof Promise)) return this.#learn(key, asked);
    throw new OpenQuestion(
      asked.then(
        (decision) => this.#learn(key, decision),
        (error: unknown) => this.#learn(key, { verdict: "no-opinion", reason: "", error: (error as Error).message }),
      ),
    );
  }

  /** Runs a piece of work that evaluates expressions, again for each answer that it had to wait for. */
  async settle<T>(work: () => T | Promise<T>): Promise<T> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof OpenQuestion)) throw error;
        await error.answer;
      }
    }
    throw new Error("an expression asks ever new questions");
  }

  /** The same for what is done in steps, with turns for others where that takes long. */
  settleInSteps<T>(work: () => Steps<T>, request: Pick<AdmissionRequest, "caller">): Promise<T> {
    return this.settle(() => soon(work(), request));
  }

  #learn(key: string, { verdict, reason, error }: Decision): AuthorizerAnswer {
    const answer = { allowed: verdict === "allow", reason, ...(error === undefined ? {} : { error }) };
    this.#answers.set(key, answer);
    return answer;
  }

  #attributes(question: AuthorizerQuestion): Attributes {
    const { subject, verb } = question;
    const user = subject === undefined ? this.#user : serviceAccount(subject.namespace, subject.name);
    if (question.kind === "path") return { user, verb, path: question.path };
    const { group, resource, subresource, namespace, name, fieldSelector, labelSelector } = question;
    return {
      user,
      verb,
      resource: {
        group,
        version: "*",
        resource,
        subresource,
        namespace,
        name,
        ...(fieldSelector === "" ? {} : { fieldSelector: readFieldSelector(fieldSelector).requirements }),
        ...(labelSelector === "" ? {} : { labelSelector: readLabelSelector(labelSelector).requirements }),
      },
    };
  }
}

class OpenQuestion extends Error {
  readonly answer: Promise<unknown>;

  constructor(answer: Promise<unknown>) {
    super("the answer is not known yet");
    this.answer = answer;
  }
}

function serviceAccount(namespace: string, name: string): UserInfo {
  return {
    name: serviceAccountUser({ namespace, name }),
    groups: [...serviceAccountGroups(namespace), AUTHENTICATED_GROUP],
  };
}

/** The variables `authorizer` and `authorizer.requestResource` of an activation. */
export function authorizerVariables(
  names: Names,
  port: AuthorizerPort,
  request: AdmissionRequest,
): Record<string, CelValue> {
  const { resource, subresource, name } = request;
  const types = authorizerTypes(names.dialect);
  return {
    authorizer: authorizerValue(types, port),
    "authorizer.requestResource": requestResourceValue(types, port, {
      group: resource.group,
      resource: resource.resource,
      subresource,
      namespace: toldNamespace(request),
      name,
    }),
  };
}
