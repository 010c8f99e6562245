// Where webhooks are: what is refused, in upstream's words.

import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { webhookServiceErrors, webhookUrlErrors } from "./webhook-client-validation.ts";

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
    ["https://a.test:port/", noUrl('"https://a.test:port/"', 'invalid port ":port" after host')],
    ["https://a.test:/", []],
    ["https://[::1/", noUrl('"https://[::1/"', "missing ']' in host")],
    ["https://a b/", noUrl('"https://a b/"', 'invalid character " " in host name')],
    ["HTTPS://a.test/", []],
    ["https://a.test/?", []],
    [
      "",
      [
        `url: Invalid value: "": 'https' is the only allowed URL scheme${FORM}`,
        `url: Invalid value: "": host must be specified${FORM}`,
      ],
    ],
    ["http://a.test", [`url: Invalid value: "http": 'https' is the only allowed URL scheme${FORM}`]],
    ["https:///x", [`url: Invalid value: "": host must be specified${FORM}`]],
    ["https://u@a.test", ['url: Invalid value: "u": user information is not permitted in the URL']],
    ["https://a.test#f", ['url: Invalid value: "f": fragments are not permitted in the URL']],
    ["https://a.test?q", ['url: Invalid value: "q": query parameters are not permitted in the URL']],
  ])("%j", (text, errors) => {
    expect([...webhookUrlErrors(text, "url")].map(fieldErrorText)).toEqual(errors);
  });
});

describe("the service of a webhook", () => {
  const service = { name: "s", namespace: "n", port: 443 };
  const label = dns1123SubdomainProblems("B")[0];

  it.each<[object, string[]]>([
    [{}, []],
    [{ path: "" }, []],
    [{ path: "/" }, []],
    [{ path: "/a/" }, []],
    [{ name: "" }, ["service.namespace: Required value"]],
    [{ namespace: "" }, ["service.name: Required value"]],
    [{ port: 0 }, ["service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive"]],
    [
      { path: "x" },
      [
        `service.path: Invalid value: "x": must start with a '/'`,
        'service.path: Invalid value: "x": segment[0] may not be empty',
      ],
    ],
    [{ path: "//" }, ['service.path: Invalid value: "//": segment[0] may not be empty']],
    [{ path: "/a//b" }, ['service.path: Invalid value: "/a//b": segment[1] may not be empty']],
    [{ path: "/a/B" }, [`service.path: Invalid value: "/a/B": segment[1]: ${label}`]],
  ])("%j", (change, errors) => {
    expect([...webhookServiceErrors({ ...service, ...change }, "service")].map(fieldErrorText)).toEqual(errors);
  });
});
