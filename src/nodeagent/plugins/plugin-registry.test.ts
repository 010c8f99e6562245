import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { answers, GrpcServer } from "../grpc/grpc-server.ts";
import { type FoundPlugin, PluginRegistry } from "./plugin-registry.ts";
import { registrationProcedures } from "./registration-messages.ts";

const PATIENCE = { timeout: 8_000 };

describe("the registry of plug-ins", () => {
  let directory: string;
  let registry: PluginRegistry;
  let registered: FoundPlugin[] = [];
  let unregistered: string[] = [];
  const servers: GrpcServer[] = [];

  const place = async (info: object, name = "p.sock") => {
    const told: object[] = [];
    const server = await GrpcServer.listen(join(directory, name), [
      answers(registrationProcedures.info, () => ({ type: "Known", name: "example.com/p", ...info })),
      answers(registrationProcedures.notify, (status) => {
        told.push(status);
        return {};
      }),
    ]);
    servers.push(server);
    return { server, told };
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "plinth-reg-"));
    [registered, unregistered] = [[], []];
    const handler = {
      register: async (plugin: FoundPlugin) => {
        if (!plugin.supportedVersions.includes("v1")) throw new Error("no version that is known");
        registered.push(plugin);
      },
      unregister: (name: string) => void unregistered.push(name),
    };
    const handlers = new Map([["Known", handler]]);
    registry = new PluginRegistry({ directory, handlers, clock: systemClock, log: silentLog });
    registry.start();
  });

  afterEach(() => {
    registry.close();
    for (const server of servers.splice(0)) server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it("hands a plug-in to who looks after its type and tells it so, once", async () => {
    const { told } = await place({ supportedVersions: ["v1"], endpoint: "/run/p.sock" });
    await vi.waitFor(() => expect(told).toEqual([{ pluginRegistered: true, error: "" }]), PATIENCE);
    expect(registered).toEqual([{ name: "example.com/p", supportedVersions: ["v1"], socketPath: "/run/p.sock" }]);
  });

  it("takes the socket itself where the plug-in names no other", async () => {
    const { told } = await place({ supportedVersions: ["v1"] });
    await vi.waitFor(() => expect(told).toHaveLength(1), PATIENCE);
    expect(registered[0]?.socketPath).toBe(join(directory, "p.sock"));
  });

  it.each([
    ["a type that nobody looks after", { type: "Strange" }, "no handler registered for plugin type: Strange"],
    ["versions that are not known", { supportedVersions: ["v7"] }, "no version that is known"],
  ])("refuses %s and says why", async (_, info, why) => {
    const { told } = await place(info);
    const refused = { pluginRegistered: false, error: expect.stringContaining(why) as string };
    await vi.waitFor(() => expect(told).toEqual([refused]), PATIENCE);
  });

  it("lets a plug-in go with its socket, and takes it again with the next", async () => {
    const { told, server } = await place({ supportedVersions: ["v1"] });
    await vi.waitFor(() => expect(told).toHaveLength(1), PATIENCE);
    server.close();
    await vi.waitFor(() => expect(unregistered).toEqual(["example.com/p"]), PATIENCE);
    const next = await place({ supportedVersions: ["v1"] });
    await vi.waitFor(() => expect(next.told).toHaveLength(1), PATIENCE);
    expect(registered).toHaveLength(2);
  });

  it("leaves alone what begins with a dot", async () => {
    const hidden = await place({ supportedVersions: ["v1"] }, ".p.sock");
    const { told } = await place({ supportedVersions: ["v1"], name: "example.com/q" }, "q.sock");
    await vi.waitFor(() => expect(told).toHaveLength(1), PATIENCE);
    expect(hidden.told).toEqual([]);
    expect(registered.map(({ name }) => name)).toEqual(["example.com/q"]);
  });
});
