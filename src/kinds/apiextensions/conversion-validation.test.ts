import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../../meta/field-error.ts";
import { conversionErrors, leniencyOf } from "./conversion-validation.ts";
import type { CustomResourceConversion } from "./custom-resource-definition-schema.ts";

const BAD = Buffer.from("no certificate").toString("base64");
const CA_ERROR = `c.webhookClientConfig.caBundle: Invalid value: "${BAD}": unable to load root certificates: unable to parse bytes as PEM block`;
const VERSION_ERROR = 'c.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1';

const conversion = (caBundle = "", versions = ["v1"]): CustomResourceConversion => ({
  strategy: "Webhook",
  webhook: {
    clientConfig: { url: "https://127.0.0.1/", ...(caBundle === "" ? {} : { caBundle }) },
    conversionReviewVersions: versions,
  },
});
const judge = (now: CustomResourceConversion, old: CustomResourceConversion | undefined, established = true) =>
  [...conversionErrors(now, "c", leniencyOf(old, established))].map(fieldErrorText);

describe("a conversion webhook", () => {
  it.each<[string, CustomResourceConversion, CustomResourceConversion | undefined, boolean, string[]]>([
    ["may have no authority of its own", conversion(), conversion(), true, []],
    ["may have a bad authority until it is established", conversion(BAD), undefined, false, []],
    ["gets no bad authority later", conversion(BAD), conversion(), true, [CA_ERROR]],
    ["gets none with its strategy", conversion(BAD), { strategy: "None" }, true, [CA_ERROR]],
    ["keeps the bad one that it has", conversion(BAD), conversion(BAD), true, []],
    ["speaks a version that is known", conversion("", ["v9"]), undefined, false, [VERSION_ERROR]],
    ["may stay with versions that nobody knows", conversion("", ["v9"]), conversion("", ["v8"]), true, []],
    [
      "says each once",
      conversion("", ["v1", "v1"]),
      undefined,
      false,
      ['c.conversionReviewVersions[1]: Invalid value: "v1": duplicate version'],
    ],
  ])("%s", (_what, now, old, established, errors) => {
    expect(judge(now, old, established)).toEqual(errors);
  });
});
