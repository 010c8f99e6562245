// `plinth up --node`: one command makes a cluster of this machine. Real containers, real networks, real names.
// Needs root, containerd, runc, network plug-ins, nft and a static busybox; skipped where they are not.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/meta/names.ts";
import { missingForMachine, NodeMachine } from "./node-machine.testing.ts";

const missing = missingForMachine();
const why = missing === undefined ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== undefined).each(DIALECTS)(`one machine as a cluster, dialect %s${why}`, (dialect) => {
  let machine: NodeMachine;

  beforeAll(async () => {
    machine = await NodeMachine.start(dialect);
    await machine.up(
      "--node",
      "--hostname-override=alone",
      `--container-runtime-endpoint=unix://${machine.runtime.socket}`,
      `--node-config-dir=${machine.agentDropIns()}`,
    );
    await machine.untilNode("alone", "True");
  });
  afterAll(async () => {
    await machine?.stop();
  });

  it("gives pods addresses and names", async () => {
    const words = await machine.outputOf("first", "hostname; cat /etc/resolv.conf");
    expect(words).toMatch(/^first\n/);
    expect(words).toContain("nameserver 10.96.0.10");
    const { status } = await machine.pods().get("first");
    expect(status.podIP).toMatch(/^10\.244\.0\./);
  });
});
