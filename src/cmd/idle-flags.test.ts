import { describe, expect, it } from "vitest";
import { parseFlags } from "../base/flags.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { schedulerFlags } from "../scheduler/scheduler-options.ts";
import { componentFlags } from "./component-client.ts";
import { listenerFlags } from "./component-listener.ts";
import { idleComponentFlags, idleControllerFlags, idleFlagWarnings } from "./idle-flags.ts";

const flags = { ...idleComponentFlags, ...idleControllerFlags };
const warningsOf = (...args: string[]) => idleFlagWarnings(parseFlags(flags, args).options);

describe("flags of upstream's components that change nothing here", () => {
  const cases: [args: string[], warnings: string[]][] = [
    [[], []],
    [["--cluster-name=kubernetes", "--profiling=false", "--leader-elect-resource-lock=leases"], []],
    [["--authentication-skip-lookup", "--cloud-provider="], []],
    [["--profiling"], ["the flag --profiling has no effect: profiles are not served"]],
    [["--cluster-name=mine"], ["the flag --cluster-name has no effect: there is no cloud provider"]],
    [["--cloud-provider", "aws"], ["the flag --cloud-provider has no effect: there is no cloud provider"]],
    [
      ["--endpoint-updates-batch-period=1s"],
      ["the flag --endpoint-updates-batch-period has no effect: changes of pods wait for nothing"],
    ],
  ];
  it.each(cases)("%j: %j", (args, warnings) => expect(warningsOf(...args)).toEqual(warnings));

  it("are none that something looks at", () => {
    const read = { ...componentFlags, ...controllerFlags, ...schedulerFlags, ...listenerFlags(1) };
    expect(Object.keys(flags).filter((key) => Object.hasOwn(read, key))).toEqual([]);
  });
});
