// `pctl auth can-i`, `who-can` and `why`: what somebody may do, who may do something, and which rule says so.
// Requirements: document 2, "Access reviews".

import { getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { findResource } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { namesFor } from "../../meta/names.ts";
import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from "../../meta/user.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { GRANT_HEADER, grantRows } from "../granted-rules.ts";
import { itemsAt } from "../json-members.ts";
import { tellOfUnknownVerbs } from "../known-verbs.ts";
import { textTable } from "../printing/text-table.ts";
import type { Session } from "../session.ts";

const ASKED_FLAGS: readonly Flag[] = [
  { name: "subresource", value: "name", summary: "log, status, ..." },
  { name: "all-namespaces", short: "A", summary: "in all namespaces" },
];

export const canI: Command = {
  name: "can-i",
  summary: "tell whether you may do something, or all that you may do",
  arguments: "VERB TYPE[/NAME] | VERB /PATH | --list",
  flags: [
    ...ASKED_FLAGS,
    { name: "list", summary: "all that you may do in the namespace" },
    { name: "quiet", short: "q", summary: "only by the exit code" },
    { name: "no-headers", summary: "--list without its first line" },
  ],
  async run(session, args, flags) {
    if (flags.switch("list")) return listRights(session, flags);
    const spec = await askedOf(session, args, flags);
    const status = await review(session, "selfsubjectaccessreviews", "SelfSubjectAccessReview", spec);
    const allowed = status["allowed"] === true;
    if (!flags.switch("quiet")) {
      const why = [status["reason"], status["evaluationError"]].filter(
        (text) => typeof text === "string" && text !== "",
      );
      session.terminal.write(`${allowed ? "yes" : `no${why.length > 0 ? ` - ${why.join(": ")}` : ""}`}\n`);
    }
    if (!allowed) session.fail();
  },
};

export const why: Command = {
  name: "why",
  summary: "tell which rule and binding allow something, or what comes nearest",
  arguments: "VERB TYPE[/NAME] | VERB /PATH",
  flags: [...ASKED_FLAGS, { name: "output", short: "o", value: "format", summary: "text (when not given), json" }],
  async run(session, args, flags) {
    const spec = await askedOf(session, args, flags);
    const { whole, warned } = await explainedReview(session, spec, flags);
    showExplained(session, whole, flags);
    // One that leaves it out has said why.
    if (whole["explanation"] === undefined && !warned)
      session.terminal.writeError("Warning: this server does not explain its answers\n");
    if (whole["allowed"] !== true) session.fail();
  },
};

/** Of somebody else we ask ourselves: who is asked about may well not read roles, and then nothing could be explained. */
async function explainedReview(
  session: Session,
  spec: JsonObject,
  flags: Flags,
): Promise<{ readonly whole: JsonObject; readonly warned: boolean }> {
  const user = flags.text("as");
  if (user === undefined) {
    const before = session.warnings;
    const whole = await review(session, "selfsubjectaccessreviews", "SelfSubjectAccessReview", spec, "explain=true");
    return { whole, warned: session.warnings > before };
  }
  const uid = flags.text("as-uid");
  const groups = [...new Set([...flags.list("as-group"), ...groupsOf(user)])];
  const asked = { ...spec, user, groups, ...(uid === undefined ? {} : { uid }) };
  const own = session.asMyself();
  try {
    const whole = await review(own, "subjectaccessreviews", "SubjectAccessReview", asked, "explain=true");
    return { whole, warned: own.warnings > 0 };
  } finally {
    await own.close();
  }
}

/** Those that a user is in by being who it is. */
function groupsOf(user: string): string[] {
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user);
  const accounts = account === null ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account[1]}`];
  return [...accounts, user === ANONYMOUS_USER ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP];
}

export const whoCan: Command = {
  name: "who-can",
  summary: "tell who may do something, and by which binding",
  arguments: "VERB TYPE[/NAME] | VERB /PATH",
  flags: [...ASKED_FLAGS, { name: "output", short: "o", value: "format", summary: "text (when not given), json" }],
  async run(session, args, flags) {
    const spec = await askedOf(session, args, flags);
    // The question needs somebody; the answer is about everybody.
    const asked = { ...spec, user: "somebody" };
    const whole = await review(session, "subjectaccessreviews", "SubjectAccessReview", asked, "explain=who-can");
    if (whole["explanation"] === undefined)
      throw new CliError("the answer does not tell who may do it: ask of one with auth can-i --as=NAME");
    // Whether somebody may is no part of the answer.
    const { explanation } = whole;
    showExplained(session, { explanation: explanation! }, flags);
  },
};

/** What may be asked for, and nobody serves: everything, and what people impersonate. */
const NOT_SERVED: ReadonlySet<string> = new Set(["*", "users", "groups"]);

/** Fails with CliError. */
async function askedOf(session: Session, args: readonly string[], flags: Flags): Promise<JsonObject> {
  const [verb, what, ...more] = args;
  if (verb === undefined || what === undefined || more.length > 1)
    throw new CliError("you must specify a verb and a resource: VERB TYPE, VERB TYPE/NAME, or VERB /PATH");
  tellOfUnknownVerbs(session, [verb], what.startsWith("/") ? "paths" : "resources");
  if (what.startsWith("/")) return { nonResourceAttributes: { verb, path: what } };
  const [word = "", name = more[0] ?? ""] = what.split("/", 2);
  const found = word === "*" ? undefined : findResource(await session.discovery(), word);
  if (found === undefined && !NOT_SERVED.has(word))
    session.terminal.writeError(`Warning: the server doesn't have a resource type ${JSON.stringify(word)}\n`);
  const namespace = flags.switch("all-namespaces") || found?.namespaced === false ? "" : session.namespace;
  return {
    resourceAttributes: {
      verb,
      group: found?.group ?? (word === "*" ? "*" : ""),
      resource: found?.resource ?? word,
      ...(namespace === "" ? {} : { namespace }),
      ...(name === "" ? {} : { name }),
      ...(flags.text("subresource") === undefined ? {} : { subresource: flags.text("subresource")! }),
    },
  };
}

async function review(
  session: Session,
  resource: string,
  kind: string,
  spec: JsonObject,
  query = "",
): Promise<JsonObject> {
  const { dialect } = await session.discovery();
  const group = namesFor(dialect).group("authorization");
  const answer = await session.sendForJson({
    method: "POST",
    path: `/apis/${group}/v1/${resource}${query === "" ? "" : `?${query}`}`,
    body: jsonText({ apiVersion: `${group}/v1`, kind, spec }),
    idempotent: true,
  });
  const status = isObject(answer) ? getKey(answer, "status") : undefined;
  return isObject(status) ? status : {};
}

async function listRights(session: Session, flags: Flags): Promise<void> {
  const namespace = session.namespace;
  const status = await review(session, "selfsubjectrulesreviews", "SelfSubjectRulesReview", { namespace });
  if (status["incomplete"] === true)
    session.terminal.writeError(`Warning: the list may be incomplete: ${String(status["evaluationError"] ?? "")}\n`);
  const rules = ["resourceRules", "nonResourceRules"].flatMap((name) => itemsAt(status, name));
  const rows = grantRows(rules);
  session.terminal.write(textTable(flags.switch("no-headers") ? rows : [GRANT_HEADER, ...rows]));
}

/** What the server tells beside the verdict. */
function showExplained(session: Session, status: JsonObject, flags: Flags): void {
  const { terminal } = session;
  if (flags.choice("output", ["text", "json"]) === "json") {
    terminal.write(`${jsonText(status, "    ")}\n`);
    return;
  }
  const explanation = isObject(status["explanation"] ?? null) ? (status["explanation"] as JsonObject) : {};
  const whoCan = explanation["whoCan"];
  if (Array.isArray(whoCan)) {
    const rows = whoCan.filter(isObject).map(({ subject, by }) => {
      const { kind, name, namespace }: JsonObject = isObject(subject ?? null) ? (subject as JsonObject) : {};
      return [
        String(kind ?? ""),
        `${namespace === undefined ? "" : `${String(namespace)}/`}${String(name ?? "")}`,
        String(by),
      ];
    });
    terminal.write(textTable([["KIND", "NAME", "BY"], ...rows]));
    return;
  }
  terminal.write(`${status["allowed"] === true ? "yes" : "no"}\n`);
  if (typeof status["reason"] === "string" && status["reason"] !== "") terminal.write(`${status["reason"]}\n`);
  for (const line of linesOf(explanation, "")) terminal.write(`${line}\n`);
}

function linesOf(value: Json, indent: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listLines(each, indent));
  if (!isObject(value)) return [`${indent}${String(value)}`];
  return Object.entries(value).flatMap(([key, member]) => {
    if (Array.isArray(member) && member.length === 0) return [];
    const isFlat = !isObject(member) && !(Array.isArray(member) && member.some((each) => typeof each === "object"));
    if (isFlat) return [`${indent}${key}: ${Array.isArray(member) ? member.map(wordText).join(", ") : String(member)}`];
    return [`${indent}${key}:`, ...linesOf(member, `${indent}  `)];
  });
}

/** The core group has no name. */
const wordText = (word: Json): string => (word === "" ? '""' : String(word));

function listLines(item: Json, indent: string): string[] {
  const [first = "", ...rest] = linesOf(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}
