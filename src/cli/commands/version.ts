// `pctl version`: of the command, and of the server.

import { isObject, type JsonObject } from "../../base/json.ts";
import { VERSION_INFO } from "../../meta/version.ts";
import type { Command } from "../command.ts";
import { objectText } from "../printing/object-text.ts";

export const version: Command = {
  name: "version",
  summary: "the versions of pctl and of the server",
  flags: [
    { name: "client", summary: "of pctl alone" },
    { name: "output", short: "o", value: "format", summary: "json, yaml" },
  ],
  async run(session, _args, flags) {
    const format = flags.choice("output", ["", "json", "yaml"]);
    const answer = flags.switch("client") ? undefined : await session.sendForJson({ method: "GET", path: "/version" });
    const server = isObject(answer) ? answer : undefined;
    const versions: JsonObject = {
      clientVersion: { ...VERSION_INFO },
      ...(server === undefined ? {} : { serverVersion: server }),
    };
    session.terminal.write(format === "" ? lines(server) : objectText(versions, format));
  },
};

function lines(server: JsonObject | undefined): string {
  const client = `Client Version: ${VERSION_INFO.gitVersion}\n`;
  return server === undefined ? client : `${client}Server Version: ${String(server["gitVersion"])}\n`;
}
