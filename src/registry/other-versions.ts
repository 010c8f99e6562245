// Objects in the versions that their managers wrote them in. The rules of ownership are pure and do not wait: where a
// webhook converts, they run again once it has answered what they asked for.

import type { Steps } from "../base/steps.ts";
import { encodeJsonPlainInSteps } from "../codec/json.ts";
import type { ApiObject } from "../meta/object.ts";
import type { WriteContext } from "../patch/ownership.ts";
import type { ServedResource } from "./served-resource.ts";
import { sizeByValues } from "./write.ts";

type Convert = NonNullable<WriteContext["convert"]>;

/**
 * What `run` gives, at once unless a webhook must be asked. `run` may be called several times, with about the size of what
 * the webhook has made, if that is large.
 */
export function inOtherVersions<T>(
  resource: ServedResource,
  run: (convert: Convert, answeredBytes: number) => T | Promise<T>,
): T | Promise<T> {
  const answers = new Map<string, ApiObject>();
  let sizeBytes = 0;
  function* convert(object: ApiObject, apiVersion: string): ReturnType<Convert> {
    const version = resource.versionAt?.(apiVersion);
    if (version === undefined) return undefined;
    const key = version.asks ? yield* questionOf(object, apiVersion) : "";
    const converted = answers.get(key) ?? version.convert(object);
    if (converted instanceof Promise) throw new Unanswered(key, converted);
    return { object: converted, schema: version.schema };
  }
  const attempt = (): T | Promise<T> => {
    try {
      const result = run(convert, sizeBytes);
      return result instanceof Promise ? result.catch(again) : result;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      return again(error);
    }
  };
  const again = async (error: unknown): Promise<T> => {
    if (!(error instanceof Unanswered)) throw error;
    const answer = await error.answer;
    answers.set(error.question, answer);
    sizeBytes = sizeByValues(answer, sizeBytes);
    return attempt();
  };
  return attempt();
}

class Unanswered extends Error {
  readonly question: string;
  readonly answer: Promise<ApiObject>;

  constructor(question: string, answer: Promise<ApiObject>) {
    super("another version of the object is not known yet");
    this.question = question;
    this.answer = answer;
  }
}

function* questionOf(object: ApiObject, apiVersion: string): Steps<string> {
  const { buffer, byteOffset, length } = yield* encodeJsonPlainInSteps(object);
  return `${apiVersion}\n${Buffer.from(buffer, byteOffset, length).toString("latin1")}`;
}
