import { describe, expect, it } from "vitest";
import type { FlowSchema } from "../kinds/flowcontrol/flow-schema.ts";
import {
  ANY_PATH,
  ANY_RESOURCE,
  byAccount,
  byGroup,
  byUser,
  controlOf,
  queueing,
  requestFor,
  schemaOf,
  userOf,
} from "./flowcontrol.testing.ts";

const alice = userOf("alice", "dev", "system:authenticated");
const builder = userOf("system:serviceaccount:ci:builder", "system:serviceaccounts", "system:authenticated");
const PODS = "/api/v1/namespaces/a/pods";

const levels = { one: queueing(10), two: queueing(10) };
const classify = (schemas: readonly FlowSchema[], user = alice, method = "GET", url = PODS) =>
  controlOf(100, levels, schemas).classify(user, requestFor(method, url));

const whole = (...subjects: ReturnType<typeof byGroup | typeof byUser | typeof byAccount>[]) => [
  { subjects, resourceRules: [ANY_RESOURCE], nonResourceRules: [ANY_PATH] },
];

describe("the order of schemas", () => {
  it("asks the one with the lowest precedence first, and equals by name", () => {
    const late = schemaOf("a-late", 500, "one", whole(byUser("alice")));
    const soon = schemaOf("z-soon", 100, "two", whole(byUser("alice")));
    const equal = schemaOf("b-soon", 100, "two", whole(byUser("alice")));
    expect(classify([late, soon]).schema).toBe("z-soon");
    expect(classify([late, soon, equal]).schema).toBe("b-soon");
  });

  it("passes over a schema whose level is not there", () => {
    const dangling = schemaOf("dangling", 100, "none", whole(byUser("alice")));
    const next = schemaOf("next", 200, "one", whole(byUser("alice")));
    expect(classify([dangling, next]).schema).toBe("next");
  });

  it("puts administrators into the exempt level before anything else, and who is left into catch-all", () => {
    const all = schemaOf("all", 2, "one", whole(byUser("alice")));
    expect(classify([all], userOf("alice", "system:masters")).schema).toBe("exempt");
    expect(classify([all], userOf("bob", "system:authenticated")).schema).toBe("catch-all");
    // Somebody in no group at all is still somewhere.
    expect(classify([], userOf("nobody")).schema).toBe("catch-all");
  });
});

describe("subjects", () => {
  it.each([
    ["a user by name", byUser("alice"), alice, true],
    ["another user", byUser("bob"), alice, false],
    ["every user", byUser("*"), alice, true],
    ["a group", byGroup("dev"), alice, true],
    ["another group", byGroup("ops"), alice, false],
    ["every group", byGroup("*"), userOf("nobody"), true],
    ["a service account", byAccount("ci", "builder"), builder, true],
    ["another service account", byAccount("ci", "other"), builder, false],
    ["every service account of a namespace", byAccount("ci", "*"), builder, true],
    ["those of another namespace", byAccount("c", "*"), builder, false],
    ["a user that is none", byAccount("ci", "*"), alice, false],
  ])("tell %s", (_what, subject, user, matches) => {
    const { schema } = classify([schemaOf("asked", 100, "one", whole(subject))], user);
    expect(schema === "asked").toBe(matches);
  });
});

describe("resource rules", () => {
  const rule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] };
  it.each([
    ["its verb", { ...rule, verbs: ["get", "list"] }, "GET", PODS, true],
    ["another verb", { ...rule, verbs: ["get"] }, "GET", PODS, false],
    ["a watch", { ...rule, verbs: ["watch"] }, "GET", `${PODS}?watch=1`, true],
    ["its group", { ...rule, apiGroups: ["apps"] }, "GET", "/apis/apps/v1/namespaces/a/deployments", true],
    ["another group", { ...rule, apiGroups: ["apps"] }, "GET", PODS, false],
    ["the core group", { ...rule, apiGroups: [""] }, "GET", PODS, true],
    ["its resource", { ...rule, resources: ["pods"] }, "GET", PODS, true],
    ["a sub-resource", { ...rule, resources: ["pods/status"] }, "PUT", `${PODS}/x/status`, true],
    [
      "a resource where the sub-resource is asked for",
      { ...rule, resources: ["pods"] },
      "PUT",
      `${PODS}/x/status`,
      false,
    ],
    ["its namespace", { ...rule, namespaces: ["a", "b"] }, "GET", PODS, true],
    ["another namespace", { ...rule, namespaces: ["b"] }, "GET", PODS, false],
    ["the cluster scope, which it does not cover", rule, "GET", "/api/v1/pods", false],
    ["the cluster scope", { ...rule, clusterScope: true, namespaces: [] }, "GET", "/api/v1/pods", true],
    ["a namespace, of which it has none", { ...rule, clusterScope: true, namespaces: [] }, "GET", PODS, false],
    ["a path that is no resource", { ...rule, clusterScope: true }, "GET", "/version", false],
  ])("tell %s", (_what, resourceRule, method, url, matches) => {
    const schema = schemaOf("asked", 100, "one", [{ subjects: [byUser("*")], resourceRules: [resourceRule] }]);
    expect(classify([schema], alice, method, url).schema === "asked").toBe(matches);
  });
});

describe("non-resource rules", () => {
  it.each([
    ["/healthz", "/healthz", true],
    ["/healthz", "/healthz/etcd", true],
    ["/healthz", "/healthzz", false],
    ["/healthz/*", "/healthz/etcd", true],
    ["/healthz/*", "/healthz", false],
    ["*", "/version", true],
    ["/", "/version", true],
    ["/metrics", PODS, false],
  ])("%s is about %s: %s", (url, path, matches) => {
    const rules = [{ subjects: [byUser("*")], nonResourceRules: [{ verbs: ["get"], nonResourceURLs: [url] }] }];
    expect(classify([schemaOf("asked", 100, "one", rules)], alice, "GET", path).schema === "asked").toBe(matches);
    expect(classify([schemaOf("asked", 100, "one", rules)], alice, "POST", path).schema).toBe("catch-all");
  });
});

describe("flows", () => {
  const flowsOf = (by?: "ByUser" | "ByNamespace") => {
    const control = controlOf(100, levels, [schemaOf("asked", 100, "one", whole(byUser("*")), by)]);
    return (user: string, namespace: string) =>
      control.classify(userOf(user), requestFor("GET", `/api/v1/namespaces/${namespace}/pods`)).distinguisher;
  };

  it.each([
    [undefined, "", ""],
    ["ByUser", "alice", "bob"],
    ["ByNamespace", "a", "b"],
  ] as const)("are told apart %s", (by, first, second) => {
    const flow = flowsOf(by);
    expect([flow("alice", "a"), flow("bob", "b")]).toEqual([first, second]);
  });
});

describe("the memory of verdicts", () => {
  it("does not mix up namespaces where a rule looks at them", () => {
    const special = schemaOf("special", 100, "one", [
      { subjects: [byUser("alice")], resourceRules: [{ ...ANY_RESOURCE, namespaces: ["a"] }] },
    ]);
    const rest = schemaOf("rest", 200, "two", whole(byUser("alice")));
    const control = controlOf(100, levels, [special, rest]);
    const schemaIn = (namespace: string) =>
      control.classify(alice, requestFor("GET", `/api/v1/namespaces/${namespace}/pods`)).schema;
    for (let round = 0; round < 2; round += 1) {
      expect([schemaIn("a"), schemaIn("b"), schemaIn("a")]).toEqual(["special", "rest", "special"]);
    }
    expect(control.classify(alice, requestFor("GET", "/api/v1/pods")).schema).toBe("special");
  });

  it("goes by what a user is, not by its name alone", () => {
    const control = controlOf(100, levels, [schemaOf("dev", 100, "one", whole(byGroup("dev")))]);
    const target = requestFor("GET", PODS);
    expect(control.classify(userOf("alice", "dev"), target).schema).toBe("dev");
    expect(control.classify(userOf("alice", "system:authenticated"), target).schema).toBe("catch-all");
    expect(control.classify(userOf("alice", "dev"), target).schema).toBe("dev");
  });

  it("is given up when a schema or a level changes", () => {
    const asked = schemaOf("asked", 100, "one", whole(byUser("alice")));
    const control = controlOf(100, levels, [asked]);
    const target = requestFor("GET", PODS);
    expect(control.classify(alice, target).schema).toBe("asked");
    control.setLevel("one", undefined);
    expect(control.classify(alice, target).schema).toBe("catch-all");
    control.setLevel("one", { name: "one", uid: "new", spec: levels.one });
    expect(control.classify(alice, target).mark).toEqual({ schemaUid: "uid-asked", levelUid: "new" });
    control.setSchema("asked", undefined);
    expect(control.classify(alice, target).schema).toBe("catch-all");
  });

  it("answers a repeated request without looking at thousands of rules again", () => {
    let looks = 0;
    const resourceRules = Array.from({ length: 20_000 }, (_, index) => ({ ...ANY_RESOURCE, resources: [`r${index}`] }));
    const control = controlOf(100, levels, [
      schemaOf("huge", 100, "one", [{ subjects: [byUser("*")], resourceRules }]),
      schemaOf("asked", 200, "two", whole(byUser("*"))),
    ]);
    const plain = requestFor("GET", PODS);
    // Only a rule that is compared asks for the API group of a request whose resource fits.
    const watched = {
      ...plain,
      resource: "r19999",
      get group() {
        looks += 1;
        return "";
      },
    };
    expect(control.classify(alice, watched as typeof plain).schema).toBe("huge");
    const first = looks;
    for (let round = 0; round < 1_000; round += 1) control.classify(alice, watched as typeof plain);
    expect(looks - first).toBe(1_000);
    expect(control.classify(alice, plain).schema).toBe("asked");
  });

  it("stays small whatever a user asks for", () => {
    const control = controlOf(100, levels, [schemaOf("asked", 100, "one", whole(byUser("*")), "ByNamespace")]);
    for (let index = 0; index < 20_000; index += 1) {
      control.classify(alice, requestFor("GET", `/nothing/${index}`));
      control.classify(alice, requestFor("GET", `/api/v1/namespaces/n${index}/r${index}`));
      control.classify(userOf(`u${index}`), requestFor("GET", "/version"));
    }
    expect(control.classify(alice, requestFor("GET", "/api/v1/namespaces/n7/pods")).distinguisher).toBe("n7");
  });
});
