// `pctl set`: changes one thing of workloads, Services and bindings.

import type { JsonObject } from "../../base/json.ts";
import { parseQuantity } from "../../meta/quantity.ts";
import { CHANGE_FLAGS, changeObjects } from "../change-objects.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { pair, splitList } from "../generators/generator.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import { changeContainers, changePodSpec } from "../pod-template.ts";
import { CONTAINERS_FLAG, setEnv } from "./set-env.ts";

const image: Command = {
  name: "image",
  summary: "the images of containers",
  arguments: "TYPE NAME... | TYPE/NAME... CONTAINER=IMAGE...",
  flags: CHANGE_FLAGS,
  async run(session, args, flags) {
    const images = args.filter((arg) => arg.includes("=")).map((arg) => pair(arg, "CONTAINER=IMAGE"));
    if (images.length === 0) throw new CliError("at least one CONTAINER=IMAGE is needed; * stands for all containers");
    await changeObjects(session, withoutPairs(args), flags, {
      outcome: "image updated",
      apply: (object) =>
        changePodSpec(object, (spec) =>
          images.reduce(
            (changed, [name, value]) =>
              changeContainers(changed, name, (container) => ({ ...container, image: value })),
            spec,
          ),
        ),
    });
  },
};

const resources: Command = {
  name: "resources",
  summary: "what containers ask for and may use",
  arguments: "TYPE NAME... | TYPE/NAME... --limits=... --requests=...",
  flags: [
    ...CHANGE_FLAGS,
    CONTAINERS_FLAG,
    { name: "limits", value: "resource=amount,...", summary: "what they may use: cpu=200m,memory=512Mi" },
    { name: "requests", value: "resource=amount,...", summary: "what they ask for" },
  ],
  async run(session, args, flags) {
    const amounts = (["limits", "requests"] as const).map((name) => [name, amountsOf(flags, name)] as const);
    const given = amounts.filter(([, list]) => Object.keys(list).length > 0);
    if (given.length === 0) throw new CliError("--limits or --requests is needed");
    await changeObjects(session, args, flags, {
      outcome: "resource requirements updated",
      apply: (object) =>
        changePodSpec(object, (spec) =>
          changeContainers(spec, flags.text("containers") ?? "*", (container) => {
            const before = memberOf(container, "resources");
            const changed = given.map(([name, list]) => [name, { ...memberOf(before, name), ...list }]);
            return { ...container, resources: { ...before, ...Object.fromEntries(changed) } };
          }),
        ),
    });
  },
};

/** Fails with CliError. */
function amountsOf(flags: Flags, name: string): JsonObject {
  const pairs = splitList(flags, name).map((text) => pair(text, `--${name}`));
  for (const [resource, amount] of pairs)
    if (parseQuantity(amount) === undefined)
      throw new CliError(`--${name}: ${JSON.stringify(amount)} is no amount of ${resource}`);
  return Object.fromEntries(pairs);
}

const serviceAccount: Command = {
  name: "serviceaccount",
  aliases: ["sa"],
  summary: "the service account that pods run as",
  arguments: "TYPE NAME... | TYPE/NAME... SERVICE-ACCOUNT",
  flags: CHANGE_FLAGS,
  async run(session, args, flags) {
    const name = args.at(-1);
    if (name === undefined || name.includes("/")) throw new CliError("the last word must be a service account");
    await changeObjects(session, args.slice(0, -1), flags, {
      outcome: "serviceaccount updated",
      apply: (object) =>
        changePodSpec(object, ({ serviceAccount: _, ...spec }) => ({ ...spec, serviceAccountName: name })),
    });
  },
};

const selector: Command = {
  name: "selector",
  summary: "the labels by which a Service chooses its pods",
  arguments: "TYPE NAME... | TYPE/NAME... KEY=VALUE[,KEY=VALUE...]",
  flags: [
    // -l would be about which objects are meant.
    ...CHANGE_FLAGS.filter(({ name }) => name !== "selector"),
    { name: "resource-version", value: "version", summary: "only if the object has this version now" },
  ],
  async run(session, args, flags) {
    const text = args.at(-1) ?? "";
    if (!text.includes("=")) throw new CliError("the last word must be labels: KEY=VALUE,...");
    const labels = Object.fromEntries(text.split(",").map((each) => pair(each, "the selector")));
    const version = flags.text("resource-version");
    await changeObjects(session, args.slice(0, -1), flags, {
      outcome: "selector updated",
      apply: (object) => {
        if (textAt(object, "kind") !== "Service") throw new CliError("only of a Service the selector can be changed");
        const found = textAt(memberOf(object, "metadata"), "resourceVersion");
        if (version !== undefined && version !== found)
          throw new CliError(`expected the version ${version}, was ${found}`);
        return { ...object, spec: { ...memberOf(object, "spec"), selector: labels } };
      },
    });
  },
};

const subject: Command = {
  name: "subject",
  summary: "more users, groups and service accounts for a binding",
  arguments: "TYPE NAME... | TYPE/NAME... --user=NAME --group=NAME --serviceaccount=NAMESPACE:NAME",
  flags: [
    ...CHANGE_FLAGS,
    { name: "user", value: "name", summary: "this user; may be repeated" },
    { name: "group", value: "name", summary: "this group; may be repeated" },
    { name: "serviceaccount", value: "namespace:name", summary: "this service account; may be repeated" },
  ],
  async run(session, args, flags) {
    const named = [
      ...splitList(flags, "user").map((name) => ({ kind: "User", name })),
      ...splitList(flags, "group").map((name) => ({ kind: "Group", name })),
    ];
    const accounts = splitList(flags, "serviceaccount").map((text) => {
      const [namespace = "", name = "", ...more] = text.split(":");
      if (namespace === "" || name === "" || more.length > 0)
        throw new CliError(`--serviceaccount: ${JSON.stringify(text)} is not NAMESPACE:NAME`);
      return { kind: "ServiceAccount", name, namespace };
    });
    if (named.length + accounts.length === 0)
      throw new CliError("at least one of --user, --group and --serviceaccount is needed");
    await changeObjects(session, args, flags, {
      outcome: "subjects updated",
      apply: (object) => {
        if (!Object.hasOwn(object, "roleRef")) throw new CliError("only bindings have subjects");
        const [apiGroup = ""] = textAt(object, "apiVersion").split("/");
        const wanted = [...named.map((each) => ({ ...each, apiGroup })), ...accounts];
        const before = itemsAt(object, "subjects");
        return { ...object, subjects: [...before, ...wanted.filter((each) => !before.some(sameSubject(each)))] };
      },
    });
  },
};

const sameSubject = (a: JsonObject) => (b: JsonObject) =>
  ["kind", "name", "namespace"].every((field) => textAt(a, field) === textAt(b, field));

const withoutPairs = (args: readonly string[]): string[] => args.filter((arg) => !arg.includes("="));

export const set: Command = {
  name: "set",
  summary: "change one thing of objects",
  commands: [image, setEnv, resources, serviceAccount, selector, subject],
};
