// `pctl scale`: how many replicas a workload should have, through its scale sub-resource.

import { jsonText } from "../../codec/json.ts";
import { CliError, type Command } from "../command.ts";
import { memberOf, numberAt, textAt } from "../json-members.ts";
import { withQuery } from "../list-pages.ts";
import { forEachTarget, readTargets, TARGET_FLAGS, targetPath } from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";

export const scale: Command = {
  name: "scale",
  summary: "set the number of replicas",
  arguments: "--replicas=COUNT TYPE NAME... | TYPE/NAME...",
  flags: [
    ...TARGET_FLAGS,
    ...WRITE_FLAGS,
    { name: "replicas", value: "count", summary: "how many there should be" },
    { name: "current-replicas", value: "count", summary: "only if there should be so many now" },
    { name: "resource-version", value: "version", summary: "only if the object has this version now" },
  ],
  async run(session, args, flags) {
    const replicas = flags.number("replicas");
    if (replicas === undefined || replicas < 0) throw new CliError("--replicas=COUNT is needed, and not below 0");
    const expected = flags.number("current-replicas");
    const { query, send, shown } = readWriteSettings(flags);
    await forEachTarget(session, await readTargets(session, args, flags), async (target) => {
      const path = targetPath(target, "scale");
      let resourceVersion = flags.text("resource-version");
      if (expected !== undefined) {
        const live = await session.sendForJson({ method: "GET", path });
        const count = numberAt(memberOf(live, "spec"), "replicas");
        if (count !== expected) throw new CliError(`expected replicas to be ${expected}, was ${count}`);
        resourceVersion ??= textAt(memberOf(live, "metadata"), "resourceVersion");
      }
      const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
      const answer = await send(session, {
        method: "PATCH",
        path: withQuery(path, query),
        headers: { "content-type": "application/merge-patch+json" },
        body: jsonText({ ...metadata, spec: { replicas } }),
      });
      session.terminal.write(shown(target.resource, target.name, answer, "scaled"));
    });
  },
};
