// How a definition says that its versions are converted.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1035LabelProblems } from "../../meta/name-formats.ts";
import { webhookServiceErrors, webhookUrlErrors } from "../meta/webhook-client-validation.ts";
import type { CustomResourceConversion } from "./custom-resource-definition-schema.ts";

const STRATEGIES = ["None", "Webhook"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];

export function* conversionErrors(conversion: CustomResourceConversion | undefined, at: string): Generator<FieldError> {
  if (conversion === undefined) return;
  const { strategy, webhook } = conversion;
  if (strategy === "") yield required(`${at}.strategy`);
  else if (!STRATEGIES.includes(strategy)) yield notSupported(`${at}.strategy`, strategy, STRATEGIES);
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
  yield* reviewVersionErrors(versions, `${at}.conversionReviewVersions`);
}

function* reviewVersionErrors(versions: readonly string[], at: string): Generator<FieldError> {
  if (versions.length === 0) {
    yield required(at);
    return;
  }
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) yield invalid(`${at}[${i}]`, version, "duplicate version");
    const problems = dns1035LabelProblems(version);
    if (problems.length > 0) yield invalid(`${at}[${i}]`, version, problems.join(","));
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    yield invalid(at, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`);
  }
}
