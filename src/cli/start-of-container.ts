// Waits until a container runs, for commands that join what they have just started.

import { isObject } from "../base/json.ts";
import { CliError } from "./command.ts";
import { itemsAt, memberOf, textAt } from "./json-members.ts";
import { whileWaiting } from "./progress.ts";
import type { Session } from "./session.ts";
import { readTarget, targetPath } from "./targets.ts";

const LOOK_MS = 200;
const STATUSES = ["containerStatuses", "ephemeralContainerStatuses"];

/** Until the user has had enough; one that ran and is over is `ended`. Fails with CliError when the time is over. */
export async function untilStarted(
  session: Session,
  pod: string,
  container: string,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<"running" | "ended"> {
  const deadlineMs = session.clock.monotonicMs() + timeoutMs;
  const target = await readTarget(session, ["pods", pod]);
  return whileWaiting(
    session,
    () => `waiting for container ${container} of pod/${pod}`,
    async () => {
      for (;;) {
        session.terminal.interrupted.throwIfAborted();
        const look = { method: "GET" as const, path: targetPath(target) };
        const status = memberOf(await session.sendForJson(look, { untilMs: deadlineMs }), "status");
        const own = STATUSES.flatMap((list) => itemsAt(status, list)).find((one) => textAt(one, "name") === container);
        const state = memberOf(own, "state");
        if (isObject(state["running"])) return "running";
        if (isObject(state["terminated"])) return "ended";
        if (session.clock.monotonicMs() >= deadlineMs)
          throw new CliError(`timed out waiting for container ${container} of pod/${pod}`);
        await session.pause(LOOK_MS);
      }
    },
  );
}
