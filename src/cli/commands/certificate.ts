// `pctl certificate approve|deny`: decides about requests for certificates. Requirements: document 2, "Certificates".

import { isObject, type Json } from "../../base/json.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command } from "../command.ts";
import { itemsAt, memberOf } from "../json-members.ts";
import { outputFlags, SHOW_MANAGED_FIELDS_FLAG } from "../printing/object-form.ts";
import { forEachTarget, readTargets, TARGET_FLAGS, targetPath } from "../targets.ts";
import { readWriteSettings } from "../write-flags.ts";

export const certificate: Command = {
  name: "certificate",
  summary: "decide about requests for certificates",
  commands: [decision("approve", "Approved", "approved"), decision("deny", "Denied", "denied")],
};

function decision(name: string, type: string, outcome: string): Command {
  return {
    name,
    summary: `${name} requests`,
    arguments: "NAME...",
    flags: [
      ...TARGET_FLAGS,
      ...outputFlags("json, yaml, name"),
      SHOW_MANAGED_FIELDS_FLAG,
      { name: "force", summary: "also requests that are decided already" },
    ],
    async run(session, args, flags) {
      const words = flags.list("filename").length > 0 ? args : ["certificatesigningrequests", ...args];
      const targets = await readTargets(session, words, flags);
      const { shown } = readWriteSettings(flags);
      await forEachTarget(session, targets, async (target) => {
        const request = await session.sendForJson({ method: "GET", path: targetPath(target) });
        if (!isObject(request)) throw new CliError("the server answers with something else than an object");
        const status = memberOf(request, "status");
        const conditions = itemsAt(status, "conditions");
        let answer: Json = request;
        if (flags.switch("force") || !conditions.some((condition) => condition["type"] === type)) {
          const others = conditions.filter((condition) => condition["type"] !== type);
          const condition = {
            type,
            status: "True",
            reason: `Pctl${type === "Approved" ? "Approve" : "Deny"}`,
            message: `This CSR was ${outcome} by pctl certificate ${name}.`,
          };
          const next = { ...request, status: { ...status, conditions: [...others, condition] } };
          const path = targetPath(target, "approval");
          answer = await session.sendForJson({ method: "PUT", path, body: jsonText(next) });
        }
        session.terminal.write(shown(target.resource, target.name, answer, outcome));
      });
    },
  };
}
