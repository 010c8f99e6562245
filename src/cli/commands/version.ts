// `pctl version`: of the command, and of the server.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { VERSION_INFO } from "../../meta/version.ts";
import type { Command } from "../command.ts";
import { textAt } from "../json-members.ts";
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
    const show = (server?: Json): void => {
      const versions: JsonObject = {
        clientVersion: { ...VERSION_INFO },
        ...(isObject(server ?? null) ? { serverVersion: server! } : {}),
      };
      session.terminal.write(format === "" ? lines(versions) : objectText(versions, format));
    };
    if (flags.switch("client")) return show();
    let answer: Json;
    try {
      answer = await session.sendForJson({ method: "GET", path: "/version" });
    } catch (error) {
      // What pctl is, is known without a server.
      if (!session.terminal.interrupted.aborted) show();
      throw error;
    }
    show(answer);
  },
};

function lines({ serverVersion }: JsonObject): string {
  const client = `Client Version: ${VERSION_INFO.gitVersion}\n`;
  return isObject(serverVersion ?? null) ? `${client}Server Version: ${textAt(serverVersion, "gitVersion")}\n` : client;
}
