// `plinth nodeagent`: the node agent of this machine; `plinth nodeagent check`: what its kernel allows.

import { setFlagsFromString } from "node:v8";
import { systemClock } from "../base/clock.ts";
import { flagHelp } from "../base/flag-help.ts";
import { parseFlags } from "../base/flags.ts";
import { createLog } from "../base/log.ts";
import { UsageError } from "../base/start-error.ts";
import { agentFlags } from "../nodeagent/agent-flags.ts";
import { checkKernel } from "../nodeagent/check-kernel.ts";
import { makeFileThreads } from "../nodeagent/file-threads.ts";
import { runAgent } from "../nodeagent/run-agent.ts";
import { asksForHelp } from "./help-flag.ts";
import { reportBugs } from "./report-bugs.ts";
import { untilSignal } from "./until-signal.ts";

export async function nodeagent(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const usage = "plinth nodeagent --kubeconfig=PATH [flags]\n       plinth nodeagent check";
    const summary = "Runs the node agent of this machine; check shows what its kernel allows.";
    process.stdout.write(flagHelp(usage, summary, [{ title: "Flags", flags: agentFlags }]));
    return;
  }
  const { options, rest } = parseFlags(agentFlags, args);
  if (rest.length === 1 && rest[0] === "check") {
    process.stdout.write(await checkKernel());
    return;
  }
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  makeFileThreads();
  const log = createLog({ verbosity: options.v });
  reportBugs(log);
  const stop = untilSignal();
  // An agent has little to do most of the time: young objects need no more room than at the start, and without this they
  // would take as much memory as everything else together.
  setFlagsFromString("--semi-space-growth-factor=1");
  const { env, pid } = process;
  await runAgent({ options, log, createLog, clock: systemClock, env, pid, stopAsked: stop.asked });
  // A call to a runtime that does not answer must not keep the process.
  process.exit(0);
}
