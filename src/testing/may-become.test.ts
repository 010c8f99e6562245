// Which control planes can be brought from one shape into another.

import { describe, expect, it } from "vitest";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import type { Shape } from "./control-plane.ts";
import { mayBecome } from "./may-become.ts";

const shape: Shape = { dialect: "platform", flags: [], controllers: true, nodes: 0, fakeClock: false };
const withFlags = (...flags: string[]): Shape => ({ ...shape, flags });

const becomes = (...shapes: [before: Shape, now: Shape]): boolean => {
  const [before, now] = shapes.map((each) => ({ shape: each, options: parseApiServerOptions([...each.flags]) }));
  return mayBecome(before!, now!);
};

describe("a control plane that waits", () => {
  it.each<[string, Partial<Shape>]>([
    ["more nodes", { nodes: 3 }],
    ["a clock that stands still", { fakeClock: true }],
    ["events that are kept for longer", { flags: ["--event-ttl=2h"] }],
    ["another plug-in of admission", { flags: ["--enable-admission-plugins=AlwaysPullImages"] }],
    ["other authorizers", { flags: ["--authorization-mode=RBAC"] }],
  ])("can have %s, and no longer", (_, other) => {
    expect(becomes(shape, { ...shape, ...other })).toBe(true);
    expect(becomes({ ...shape, ...other }, shape)).toBe(true);
  });

  it.each<[string, Partial<Shape>]>([
    ["other names", { dialect: "kubernetes" }],
    ["no controllers", { controllers: false }],
    ["other kinds", { flags: ["--runtime-config=api/all=true"] }],
    ["other gates", { flags: ["--feature-gates=ClusterTrustBundle=true"] }],
    ["other addresses of Services", { flags: ["--service-cluster-ip-range=10.1.0.0/24"] }],
    ["another address of its own", { flags: ["--advertise-address=192.0.2.1"] }],
    ["a server that makes nothing at its start", { flags: ["--enable-admission-plugins=AlwaysDeny"] }],
  ])("cannot have %s, nor no longer have them", (_, other) => {
    expect(becomes(shape, { ...shape, ...other })).toBe(false);
    expect(becomes({ ...shape, ...other }, shape)).toBe(false);
  });

  it("stays as unusual as it is with other flags beside", () => {
    const range = "--service-cluster-ip-range=10.1.0.0/24";
    expect(becomes(withFlags(range), withFlags(range, "--event-ttl=2h"))).toBe(true);
  });
});
