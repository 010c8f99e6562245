import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../../meta/field-error.ts";
import { webhookUrlErrors } from "./webhook-client-validation.ts";

const FORM = "; desired format: https://host[/path]";
const noUrl = (shown: string, problem: string) => [
  `url: Required value: url must be a valid URL: parse ${shown}: ${problem}${FORM}`,
];

describe("the address of a webhook", () => {
  it.each([
    ["https://a.test/x", []],
    [":::", noUrl('":::"', "missing protocol scheme")],
    ["1a:b", noUrl('"1a:b"', "first path segment in URL cannot contain colon")],
    ["https://a.test/%zz", noUrl('"https://a.test/%zz"', 'invalid URL escape "%zz"')],
    ["https://a.test/\n", noUrl('"https://a.test/\\n"', "net/url: invalid control character in URL")],
    ["http://a.test", [`url: Invalid value: "http": 'https' is the only allowed URL scheme${FORM}`]],
    ["https:///x", [`url: Invalid value: "": host must be specified${FORM}`]],
    ["https://u@a.test", ['url: Invalid value: "u": user information is not permitted in the URL']],
    ["https://a.test#f", ['url: Invalid value: "f": fragments are not permitted in the URL']],
    ["https://a.test?q", ['url: Invalid value: "q": query parameters are not permitted in the URL']],
  ])("%j", (text, errors) => {
    expect([...webhookUrlErrors(text, "url")].map(fieldErrorText)).toEqual(errors);
  });
});
