// `pctl cluster-info`: where the server is, and which dialect it speaks.

import type { Command } from "../command.ts";
import { dump } from "./cluster-info-dump.ts";

export const clusterInfo: Command = {
  name: "cluster-info",
  summary: "show where the server is and whether it is well",
  commands: [dump],
  async run(session) {
    const { dialect, resources } = await session.discovery();
    const ready = Buffer.from(
      await session.send({ method: "GET", path: "/readyz", headers: { accept: "text/plain" } }),
    );
    session.terminal.write(
      `The server is at ${session.connection.cluster.server}\n` +
        `It speaks the dialect ${dialect}, serves ${resources.length} resources, and says it is ${ready.toString("utf8").trim()}.\n`,
    );
  },
};
