// `pctl auth whoami`: who the server takes us for. Requirements: document 2, "SelfSubjectReview".

import { getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { jsonText } from "../../codec/json.ts";
import { namesFor } from "../../meta/names.ts";
import { CliError, type Command } from "../command.ts";
import { NO_MANAGED_FIELDS_FLAG, outputFlags, readOutput } from "../printing/object-form.ts";
import { textTable } from "../printing/text-table.ts";
import { canI, whoCan, why } from "./access.ts";
import { reconcile } from "./reconcile.ts";

const whoami: Command = {
  name: "whoami",
  summary: "who the server takes you for",
  flags: [...outputFlags("table (when not given), json, yaml"), NO_MANAGED_FIELDS_FLAG],
  async run(session, args, flags) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    const format = readOutput(flags, ["table"]);
    const { dialect } = await session.discovery();
    const apiVersion = `${namesFor(dialect).group("authentication")}/v1`;
    const review = await session.sendForJson({
      method: "POST",
      path: `/apis/${apiVersion}/selfsubjectreviews`,
      body: jsonText({ apiVersion, kind: "SelfSubjectReview" }),
      // It only asks.
      idempotent: true,
    });
    session.terminal.write(format === "table" ? userTable(review) : format(review));
  },
};

export const auth: Command = {
  name: "auth",
  summary: "about yourself and what you may do",
  commands: [whoami, canI, why, whoCan, reconcile],
};

function userTable(review: Json): string {
  const status = isObject(review) ? getKey(review, "status") : undefined;
  const user = isObject(status) ? getKey(status, "userInfo") : undefined;
  const { username, uid, groups, extra }: JsonObject = isObject(user) ? user : {};
  const list = (value: unknown): string => `[${Array.isArray(value) ? value.join(" ") : ""}]`;
  return textTable([
    ["ATTRIBUTE", "VALUE"],
    ["Username", String(username ?? "")],
    ...(uid === undefined ? [] : [["UID", String(uid)]]),
    ...(groups === undefined ? [] : [["Groups", list(groups)]]),
    ...Object.entries(isObject(extra) ? extra : {}).map(([key, value]) => [`Extra: ${key}`, list(value)]),
  ]);
}
