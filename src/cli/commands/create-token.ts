// `pctl create token`: a token of a service account. Requirements: document 2, "TokenRequest".

import { getKey, isObject, type JsonObject } from "../../base/json.ts";
import { findResource } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { namesFor } from "../../meta/names.ts";
import { CliError, type Command } from "../command.ts";
import { outputFlags, readOutput } from "../printing/object-form.ts";
import { objectName } from "../printing/object-text.ts";
import { readDurationMs } from "../read-duration.ts";
import { targetPath } from "../targets.ts";

export const createToken: Command = {
  name: "token",
  summary: "a token of a service account",
  arguments: "SERVICE-ACCOUNT",
  flags: [
    { name: "audience", value: "name", summary: "whom it is for; may be repeated" },
    { name: "duration", value: "duration", summary: "how long it is good" },
    { name: "bound-object-kind", value: "kind", summary: "Pod, Secret or Node: it dies with that object" },
    { name: "bound-object-name", value: "name", summary: "the name of that object" },
    { name: "bound-object-uid", value: "uid", summary: "its uid" },
    ...outputFlags("token (when not given), json, yaml, name"),
  ],
  async run(session, args, flags) {
    const [name, ...more] = args;
    if (name === undefined || more.length > 0) throw new CliError("exactly one service account must be named");
    const output = readOutput(flags, ["token", "name"]);
    const discovery = await session.discovery();
    const resource = findResource(discovery, "serviceaccounts")!;
    const durationMs = readDurationMs(flags, "duration");
    const group = namesFor(discovery.dialect).group("authentication");
    const apiVersion = `${group}/v1`;
    const bound = flags.text("bound-object-kind");
    const spec: JsonObject = {
      audiences: [...flags.list("audience")],
      ...(durationMs === undefined ? {} : { expirationSeconds: Math.floor(durationMs / 1000) }),
      ...(bound === undefined
        ? {}
        : {
            boundObjectRef: {
              apiVersion: "v1",
              kind: bound,
              name: flags.text("bound-object-name") ?? "",
              ...(flags.text("bound-object-uid") === undefined ? {} : { uid: flags.text("bound-object-uid")! }),
            },
          }),
    };
    const answer = await session.sendForJson({
      method: "POST",
      path: targetPath({ resource, namespace: session.namespace, name }, "token"),
      body: jsonText({ apiVersion, kind: "TokenRequest", spec }),
    });
    const status = isObject(answer) ? getKey(answer, "status") : undefined;
    const token = isObject(status) ? getKey(status, "token") : undefined;
    if (typeof token !== "string" || token === "") throw new CliError("the server returned no token");
    if (output === "token") session.terminal.write(`${token}\n`);
    else
      session.terminal.write(
        output === "name" ? `${objectName({ group, kind: "TokenRequest" }, name)}\n` : output(answer),
      );
  },
};
