// When simulated nodes may be laid as a build has prepared them.

import { describe, expect, it } from "vitest";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { type PreparedObject, readPrepared, writePrepared } from "../registry/prepared-objects.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { layNodes, registerAsPrepared } from "./prepared-nodes.ts";

function registerWith(flags: readonly string[]): boolean {
  const options = parseApiServerOptions([...flags]);
  const gates: { enabled(gate: string): boolean } = serverGates(options.featureGates, "platform");
  return registerAsPrepared(options, (gate) => gates.enabled(gate));
}

describe("nodes that were prepared", () => {
  it.each([
    [[]],
    [["--secure-port=7443"]],
    [["--feature-gates=ClusterTrustBundle=true"]],
    [["--runtime-config=api/all=true"]],
  ])("are those of a server with the flags %j", (flags) => {
    expect(registerWith(flags)).toBe(true);
  });

  it.each([
    "--feature-gates=ComponentStatusz=true",
    "--runtime-config=coordination.platform.io/v1=false",
    "--enable-admission-plugins=AlwaysPullImages",
    "--disable-admission-plugins=Priority",
    "--authorization-mode=RBAC",
    "--admission-control-config-file=a",
    "--authorization-config=a",
  ])("are not those of a server with %s", (flag) => {
    expect(registerWith([flag])).toBe(false);
  });

  it("are laid as many as are wanted, and nothing of one that is there", async () => {
    const engine = new MemoryEngine();
    await engine.create("/registry/minions/a", Buffer.from("{}"));
    const nodes = ["a", "b", "c"].map((name) => [
      [`/registry/minions/${name}`, Buffer.from("{}")] as const,
      [`/registry/leases/nodes/${name}`, Buffer.from("{}")] as const,
    ]);
    const laid: unknown[] = [];
    const server = {
      layMore: async (more: readonly PreparedObject[]) => void laid.push(more.map(({ key }) => key)),
    };
    const prepared = readPrepared(writePrepared(nodes.flat()));
    await layNodes({ engine, server }, prepared, 2);
    expect(laid).toEqual([["/registry/minions/b", "/registry/leases/nodes/b"]]);
  });
});
