// How a definition says that its versions are converted.

import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { dns1035LabelProblems } from "../../meta/name-formats.ts";
import { fieldErrors } from "../../schema/check-fields.ts";
import { webhookServiceErrors, webhookUrlErrors } from "../meta/webhook-client-validation.ts";
import { authorityBundleProblem } from "./authority-bundle.ts";
import { type CustomResourceConversion, customResourceConversion } from "./custom-resource-definition-schema.ts";

const REVIEW_VERSIONS = ["v1", "v1beta1"];

/** What an update may leave as it was, though it would be refused in a new definition. */
export interface ConversionLeniency {
  readonly unknownReviewVersions: boolean;
  readonly badAuthority: boolean;
}

/** `old` is undefined for a new definition. A definition that is not established is not served with a bad authority. */
export function leniencyOf(old: CustomResourceConversion | undefined, established: boolean): ConversionLeniency {
  const versions = old?.webhook?.conversionReviewVersions ?? [];
  return {
    unknownReviewVersions: versions.length > 0 && !versions.some((version) => REVIEW_VERSIONS.includes(version)),
    badAuthority: !established || authorityBundleProblem(old?.webhook?.clientConfig?.caBundle ?? "") !== undefined,
  };
}

export function* conversionErrors(
  conversion: CustomResourceConversion | undefined,
  at: string,
  lenient: ConversionLeniency,
): Generator<FieldError> {
  if (conversion === undefined) return;
  const { strategy, webhook } = conversion;
  yield* fieldErrors(conversion, customResourceConversion, at);
  const client = webhook?.clientConfig ?? undefined;
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    if (client !== undefined) yield forbiddenField(`${at}.webhookClientConfig`, detail);
    if (versions.length > 0) yield forbiddenField(`${at}.conversionReviewVersions`, detail);
    return;
  }
  if (client === undefined) yield required(`${at}.webhookClientConfig`, "required when strategy is set to Webhook");
  else if ((client.url === undefined) === (client.service === undefined)) {
    yield required(`${at}.webhookClientConfig`, "exactly one of url or service is required");
  } else if (client.url !== undefined) yield* webhookUrlErrors(client.url, `${at}.webhookClientConfig.url`);
  else if (client.service) yield* webhookServiceErrors(client.service, `${at}.webhookClientConfig.service`);
  const problem = lenient.badAuthority ? undefined : authorityBundleProblem(client?.caBundle ?? "");
  if (problem !== undefined) yield invalid(`${at}.webhookClientConfig.caBundle`, client?.caBundle, problem);
  yield* reviewVersionErrors(versions, `${at}.conversionReviewVersions`, lenient.unknownReviewVersions);
}

function* reviewVersionErrors(versions: readonly string[], at: string, unknown: boolean): Generator<FieldError> {
  if (versions.length === 0) {
    yield required(at);
    return;
  }
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) {
      yield invalid(`${at}[${i}]`, version, "duplicate version");
      continue;
    }
    seen.add(version);
    const problems = dns1035LabelProblems(version);
    for (const problem of problems) yield invalid(`${at}[${i}]`, version, problem);
  }
  if (!unknown && !versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    yield invalid(at, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`);
  }
}
