import { describe, expect, it } from "vitest";
import { targetOf } from "../apiserver/request-path.ts";
import { namesFor } from "../meta/names.ts";
import { parseAuditPolicy } from "./policy.ts";

const names = namesFor("platform");
const policy = (body: string) =>
  parseAuditPolicy(Buffer.from(`apiVersion: audit.platform.io/v1\nkind: Policy\n${body}`), names);

const user = { name: "jane", groups: ["dev", "system:authenticated"] };

function levelOf(rules: string, method: string, url: string): string {
  const target = targetOf(method, url, { query: new URLSearchParams() })!;
  return policy(`rules:\n${rules}`).decide(user, target).level;
}

const POD = "/api/v1/namespaces/a/pods/p";

describe("an audit policy", () => {
  const table: [about: string, rule: string, method: string, url: string, level: string][] = [
    ["everything", "- level: Metadata", "GET", POD, "Metadata"],
    ["the user", '- {level: Request, users: ["jane"]}', "GET", POD, "Request"],
    ["another user", '- {level: Request, users: ["joe"]}', "GET", POD, "None"],
    ["a group of the user", '- {level: Request, userGroups: ["dev"]}', "GET", POD, "Request"],
    ["another verb", '- {level: Request, verbs: ["list"]}', "GET", POD, "None"],
    ["the namespace", '- {level: Request, namespaces: ["a"]}', "GET", POD, "Request"],
    ["no namespace", '- {level: Request, namespaces: [""]}', "GET", "/api/v1/nodes", "Request"],
    ["the resource", '- {level: Request, resources: [{resources: ["pods"]}]}', "GET", POD, "Request"],
    [
      "its sub-resource, which is another",
      '- {level: Request, resources: [{resources: ["pods"]}]}',
      "GET",
      `${POD}/log`,
      "None",
    ],
    [
      "all its sub-resources",
      '- {level: Request, resources: [{resources: ["pods/*"]}]}',
      "GET",
      `${POD}/log`,
      "Request",
    ],
    ["the resource itself, too", '- {level: Request, resources: [{resources: ["pods/*"]}]}', "GET", POD, "Request"],
    [
      "one sub-resource of any",
      '- {level: Request, resources: [{resources: ["*/log"]}]}',
      "GET",
      `${POD}/log`,
      "Request",
    ],
    [
      "the whole group",
      "- {level: Request, resources: [{group: apps}]}",
      "GET",
      "/apis/apps/v1/deployments",
      "Request",
    ],
    ["another group", "- {level: Request, resources: [{group: apps}]}", "GET", POD, "None"],
    ["the name", '- {level: Request, resources: [{resources: ["pods"], resourceNames: ["q"]}]}', "GET", POD, "None"],
    ["a path", '- {level: Request, nonResourceURLs: ["/healthz*"]}', "GET", "/healthz/ping", "Request"],
    ["a path, which is no resource", '- {level: Request, nonResourceURLs: ["*"]}', "GET", POD, "None"],
    ["the first rule that matches", "- {level: None, verbs: [get]}\n- level: Metadata", "GET", POD, "None"],
  ];
  it.each(table)("decides by %s", (_about, rules, method, url, level) => {
    expect(levelOf(rules, method, url)).toBe(level);
  });

  it("adds the stages that all rules omit to those of a rule", () => {
    const target = targetOf("GET", POD, { query: new URLSearchParams() })!;
    const { omitStages, omitManagedFields } = policy(
      "omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{level: Metadata, omitStages: [ResponseStarted]}]",
    ).decide(user, target);
    expect([...omitStages]).toEqual(["RequestReceived", "ResponseStarted"]);
    expect(omitManagedFields).toBe(true);
  });

  const broken: [body: string, problem: RegExp][] = [
    ["rules: [{level: Everything}]", /rules\[0\]\.level: Unsupported value: "Everything"/],
    ["rules: [{level: None, omitStages: [Start]}]", /rules\[0\]\.omitStages: Unsupported value: "Start"/],
    ["rules: [{level: None, nonResourceURLs: [healthz]}]", /must begin with a "\/"/],
    ["rules: [{level: None, nonResourceURLs: ['/a*b']}]", /must be the final character/],
    ["rules: [{level: None, nonResourceURLs: [/a], namespaces: [x]}]", /cannot apply to both/],
    ["rules: [{level: None, resources: [{resourceNames: [x]}]}]", /requires at least one resource/],
    ["rules: []", /rules: Required value/],
    ["rulez: []", /unknown field "rulez"/],
  ];
  it.each(broken)("refuses %s", (body, problem) => {
    expect(() => policy(body)).toThrow(problem);
  });

  it("refuses a document of another kind", () => {
    expect(() => parseAuditPolicy(Buffer.from("kind: Policy"), names)).toThrow(/audit\.platform\.io\/v1 and Policy/);
  });
});
