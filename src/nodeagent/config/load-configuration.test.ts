import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StartError } from "../../base/start-error.ts";
import { configurationFields } from "./configuration.ts";
import { fieldsWithoutEffect } from "./fields-without-effect.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { mergeLayers } from "./merge-layers.ts";

const HEAD = { apiVersion: "nodeagent.config.platform.io/v1beta1", kind: "NodeAgentConfiguration" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: object | string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify({ ...HEAD, ...content }));
  return path;
}

const load = (main: object | string, dropIns: Readonly<Record<string, object | string>> = {}) => {
  const config = write("main.yaml", main);
  const configDir = join(folder, "conf.d");
  mkdirSync(configDir);
  for (const [name, content] of Object.entries(dropIns)) write(join("conf.d", name), content);
  return loadConfiguration({ dialect: "platform", config, configDir });
};

const refusal = (main: object | string, dropIns?: Readonly<Record<string, object | string>>): string => {
  try {
    load(main, dropIns);
  } catch (error) {
    if (error instanceof StartError) return error.message.replaceAll(folder, "");
    throw error;
  }
  return "taken";
};

describe("the merge rules of drop-ins", () => {
  it.each([
    ["rule 1: scalars are overridden", { maxPods: 50 }, { maxPods: 60 }, { maxPods: 60 }],
    [
      "rule 1: also by false, 0 and the empty text",
      { failSwapOn: true, podsPerCore: 3, clusterDomain: "a" },
      { failSwapOn: false, podsPerCore: 0, clusterDomain: "" },
      { failSwapOn: false, podsPerCore: 0, clusterDomain: "" },
    ],
    [
      "rule 2: structures are merged field by field",
      { authentication: { webhook: { enabled: false, cacheTTL: "1m" }, anonymous: { enabled: true } } },
      { authentication: { webhook: { cacheTTL: "30s" } } },
      { authentication: { webhook: { enabled: false, cacheTTL: "30s" }, anonymous: { enabled: true } } },
    ],
    [
      "rule 3: lists are replaced as a whole",
      { clusterDNS: ["10.0.0.1", "10.0.0.2"] },
      { clusterDNS: ["10.0.0.3"] },
      { clusterDNS: ["10.0.0.3"] },
    ],
    ["rule 3: also by an empty list", { clusterDNS: ["10.0.0.1"] }, { clusterDNS: [] }, { clusterDNS: [] }],
    [
      "rule 3: lists of structures too",
      { registerWithTaints: [{ key: "a", effect: "NoSchedule" }] },
      { registerWithTaints: [{ key: "b", effect: "NoExecute" }] },
      { registerWithTaints: [{ key: "b", effect: "NoExecute" }] },
    ],
    [
      "rule 4: maps are merged key by key",
      { evictionHard: { "memory.available": "100Mi", "nodefs.available": "5%" } },
      { evictionHard: { "memory.available": "200Mi" } },
      { evictionHard: { "memory.available": "200Mi", "nodefs.available": "5%" } },
    ],
    [
      "rule 4: the list of a key is replaced",
      { staticPodURLHeader: { One: ["a", "b"], Two: ["c"] } },
      { staticPodURLHeader: { One: ["z"] } },
      { staticPodURLHeader: { One: ["z"], Two: ["c"] } },
    ],
    [
      "rule 4: a key like any other",
      { systemReserved: { cpu: "1" } },
      { systemReserved: JSON.parse('{"__proto__":"2"}') as object },
      { systemReserved: JSON.parse('{"cpu":"1","__proto__":"2"}') as object },
    ],
  ])("%s", (_rule, lower, upper, merged) => {
    expect(JSON.stringify(mergeLayers(configurationFields, lower as never, upper as never))).toBe(
      JSON.stringify(merged),
    );
  });
});

describe("the configuration", () => {
  it("has the documented defaults", () => {
    const { configuration, shown } = loadConfiguration({ dialect: "platform" });
    expect(configuration).toMatchObject({
      port: 10250,
      failSwapOn: true,
      seccompDefault: false,
      maxPods: 110,
      nodeStatusUpdateFrequencyMs: 10_000,
      nodeStatusReportFrequencyMs: 300_000,
      nodeLeaseDurationSeconds: 40,
      memorySwap: { swapBehavior: "" },
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true, cacheTTLMs: 120_000 } },
      authorization: { mode: "Webhook", webhook: { cacheAuthorizedTTLMs: 300_000, cacheUnauthorizedTTLMs: 30_000 } },
    });
    expect(shown).toMatchObject({ nodeStatusReportFrequency: "5m0s", nodeStatusUpdateFrequency: "10s" });
    expect(shown).not.toHaveProperty("staticPodPath");
  });

  it("reports as often as it looks where only the latter is said", () => {
    const flags = { nodeStatusUpdateFrequency: "7s" };
    expect(loadConfiguration({ dialect: "platform", flags }).configuration.nodeStatusReportFrequencyMs).toBe(7_000);
    const both = { ...flags, nodeStatusReportFrequency: "9s" };
    expect(loadConfiguration({ dialect: "platform", flags: both }).configuration.nodeStatusReportFrequencyMs).toBe(
      9_000,
    );
  });

  it("takes 0, the empty text and 0s for the default where they make no sense", () => {
    const empty = { maxPods: 0, nodeLeaseDurationSeconds: 0, syncFrequency: "0s", address: "", cgroupDriver: "" };
    const { shown } = load({ ...empty, authorization: { mode: "" }, podsPerCore: 0, registryPullQPS: 0 });
    expect(shown).toMatchObject({
      maxPods: 110,
      nodeLeaseDurationSeconds: 40,
      syncFrequency: "1m0s",
      address: "0.0.0.0",
      cgroupDriver: "cgroupfs",
      authorization: { mode: "Webhook" },
      podsPerCore: 0,
      registryPullQPS: 0,
    });
  });

  it("takes paths from the folder of the file that says them", () => {
    const { configuration } = load(
      { staticPodPath: "pods", tlsCertFile: "/etc/x.crt", tlsPrivateKeyFile: "x.key", resolvConf: "" },
      { "a.conf": { authentication: { x509: { clientCAFile: "../ca.crt" } } } },
    );
    expect(configuration).toMatchObject({
      staticPodPath: join(folder, "pods"),
      tlsCertFile: "/etc/x.crt",
      tlsPrivateKeyFile: join(folder, "x.key"),
      resolvConf: "",
      authentication: { x509: { clientCAFile: join(folder, "ca.crt") } },
    });
  });

  it("pulls images side by side where several may be pulled", () => {
    const { configuration } = loadConfiguration({ dialect: "platform", flags: { maxParallelImagePulls: 3 } });
    expect(configuration).toMatchObject({ maxParallelImagePulls: 3, serializeImagePulls: false });
  });

  it.each([
    ["cpuCFSQuotaPeriod", "50ms", "CustomCPUCFSQuotaPeriod"],
    ["crashLoopBackOff", { maxContainerRestartPeriod: "30s" }, "KubeletCrashLoopBackOffMax"],
    ["imagePullCredentialsVerificationPolicy", "AlwaysVerify", "KubeletEnsureSecretPulledImages"],
    ["enableSystemLogQuery", true, "NodeLogQuery"],
  ])("takes %s only where its feature gate is on", (field, value, gate) => {
    expect(refusal({ [field]: value, featureGates: { [gate]: false } })).toMatch(
      new RegExp(`^--config: /main.yaml: ${field}[.\\w]*: needs the feature gate ${gate}$`),
    );
    rmSync(join(folder, "conf.d"), { recursive: true });
    expect(refusal({ [field]: value, featureGates: { [gate]: true } })).toBe("taken");
  });

  it("is the main file, then the drop-ins in the order of their names, those of sub-folders too", () => {
    const dropIns = {
      "10-first.conf": { maxPods: 60, registryPullQPS: 7 },
      "20-folder/first.conf": { maxPods: 70 },
      "05-early.conf": { maxPods: 5, podPidsLimit: 4096 },
      "99-ignored.yaml": { maxPods: 99 },
      "notes.txt": "not a configuration",
    };
    const { configuration } = load({ maxPods: 50 }, dropIns);
    expect(configuration).toMatchObject({ maxPods: 70, registryPullQPS: 7, podPidsLimit: 4096 });
    expect(readFileSync(join(folder, "conf.d/10-first.conf"), "utf8")).toContain('"maxPods":60');
  });

  it("lets flags win over files", () => {
    const config = write("main.yaml", { featureGates: { ContainerCheckpoint: true, MemoryQoS: true } });
    const flags = { featureGates: { ContainerCheckpoint: false } };
    const { gates } = loadConfiguration({ dialect: "platform", config, flags });
    expect([gates.enabled("ContainerCheckpoint"), gates.enabled("MemoryQoS")]).toEqual([false, true]);
  });

  it("may be YAML, and of upstream's kind", () => {
    const text =
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 33\nsyncFrequency: 90s\n";
    expect(load(text).configuration).toMatchObject({ maxPods: 33, syncFrequencyMs: 90_000 });
  });

  it("replaces all thresholds by those that are named, or adds them to the defaults where it is told so", () => {
    const evictionHard = { "memory.available": "1Gi" };
    expect(load({ evictionHard }).configuration.evictionHard).toEqual(evictionHard);
    rmSync(join(folder, "conf.d"), { recursive: true });
    const added = load({ evictionHard, mergeDefaultEvictionSettings: true }).configuration.evictionHard;
    expect(added).toMatchObject({ "memory.available": "1Gi", "nodefs.available": "10%" });
  });

  it("knows which of its fields have no effect yet", () => {
    expect(fieldsWithoutEffect(load({ maxPods: 7 }).shown)).toEqual([]);
    rmSync(join(folder, "conf.d"), { recursive: true });
    // Upstream does nothing with it either.
    expect(fieldsWithoutEffect(load({ hairpinMode: "none" }).shown)).toEqual([]);
  });

  it("takes null for nothing", () => {
    expect(load({ maxPods: 7 }, { "a.conf": { maxPods: null, evictionSoft: null } }).configuration.maxPods).toBe(7);
  });

  it("knows gates by this agent's name too", () => {
    const { gates } = load({ featureGates: { NodeAgentEnsureSecretPulledImages: true } });
    expect(gates.enabled("KubeletEnsureSecretPulledImages")).toBe(true);
  });
});

describe("a configuration is refused", () => {
  it.each([
    [
      "of another kind",
      '{"apiVersion":"nodeagent.config.platform.io/v1beta1","kind":"Other"}',
      '--config: /main.yaml: kind: "Other" is not NodeAgentConfiguration or KubeletConfiguration',
    ],
    [
      "of another version",
      '{"apiVersion":"nodeagent.config.platform.io/v9","kind":"NodeAgentConfiguration"}',
      '--config: /main.yaml: apiVersion: "nodeagent.config.platform.io/v9" is not nodeagent.config.platform.io/v1beta1',
    ],
    [
      "without a kind",
      "maxPods: 1",
      "--config: /main.yaml: kind: nothing is not NodeAgentConfiguration or KubeletConfiguration",
    ],
    ["that is empty", "", "--config: /main.yaml: holds no configuration: expected apiVersion, kind and fields"],
    ["with an unknown field", { maxPodz: 1 }, "--config: /main.yaml: maxPodz: unknown field"],
    [
      "with an unknown field below another",
      { authentication: { x509: { caFile: "x" } } },
      "--config: /main.yaml: authentication.x509.caFile: unknown field",
    ],
    [
      "with a value of a wrong type",
      { maxPods: "many" },
      '--config: /main.yaml: maxPods: expected a whole number, found "many"',
    ],
    [
      "with a list for a structure",
      { memorySwap: ["LimitedSwap"] },
      "--config: /main.yaml: memorySwap: expected fields with values, found a list",
    ],
    [
      "with a broken duration",
      { syncFrequency: "soon" },
      '--config: /main.yaml: syncFrequency: "soon" is not a duration such as 90s, 5m or 1h30m',
    ],
    [
      "with an unknown swap behaviour",
      { memorySwap: { swapBehavior: "AllTheSwap" } },
      '--config: /main.yaml: memorySwap.swapBehavior: "AllTheSwap" is not one of "", "NoSwap", "LimitedSwap"',
    ],
    [
      "with an unknown gate",
      { featureGates: { NoSuchGate: true } },
      "--config: /main.yaml: featureGates: unrecognized feature gate: NoSuchGate",
    ],
    [
      "with a gate that is locked",
      { featureGates: { NodeSwap: false } },
      "--config: /main.yaml: featureGates: cannot set feature gate NodeSwap to false, feature is locked to true",
    ],
    ["with a port out of range", { port: 70000 }, "--config: /main.yaml: port: 70000 is not between 0 and 65535"],
    [
      "with an endpoint that is no socket",
      { containerRuntimeEndpoint: "tcp://1.2.3.4" },
      '--config: /main.yaml: containerRuntimeEndpoint: "tcp://1.2.3.4" is not the address of a unix socket such as unix:///run/containerd/containerd.sock',
    ],
    [
      "with an unknown signal",
      { evictionHard: { "disk.free": "1Gi" } },
      "--config: /main.yaml: evictionHard[disk.free]: must be one of memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, containerfs.available, containerfs.inodesFree, pid.available, allocatableMemory.available",
    ],
    [
      "with a threshold above 100%",
      { evictionHard: { "memory.available": "120%" } },
      '--config: /main.yaml: evictionHard[memory.available]: "120%" is neither an amount nor a percentage',
    ],
    [
      "with a name server that is no address",
      { clusterDNS: ["dns"] },
      '--config: /main.yaml: clusterDNS[0]: "dns" is not an IP address',
    ],
    [
      "with a shutdown of a moment",
      { shutdownGracePeriod: "10ms" },
      "--config: /main.yaml: shutdownGracePeriod: must be 0s or at least 1s",
    ],
    [
      "with critical pods that get more than all",
      { shutdownGracePeriod: "5s", shutdownGracePeriodCriticalPods: "6s" },
      "--config: /main.yaml: shutdownGracePeriodCriticalPods: must not be longer than shutdownGracePeriod",
    ],
    [
      "with thresholds the wrong way round",
      { imageGCHighThresholdPercent: 50 },
      "--config: /main.yaml: imageGCHighThresholdPercent: must be greater than imageGCLowThresholdPercent, which is 80",
    ],
  ])("%s", (_title, main, message) => {
    expect(refusal(main)).toBe(message);
  });

  it.each([
    ["kubeAPIQPS", { kubeAPIQPS: -1 }, "-1 is not between 0 and 2147483647"],
    ["containerLogMonitorInterval", { containerLogMonitorInterval: "2s" }, "must be at least 3s"],
    ["podLogsDir", { podLogsDir: "/var/log/../pods" }, "must be a normalized path"],
    ["podLogsDir", { podLogsDir: "/var/l\u00f6g" }, "may hold ASCII characters only"],
    ["imageMaximumGCAge", { imageMaximumGCAge: "1m" }, "must be greater than imageMinimumGCAge"],
    [
      "preloadedImagesVerificationAllowlist",
      { preloadedImagesVerificationAllowlist: ["a/b"] },
      "needs the imagePullCredentialsVerificationPolicy NeverVerifyAllowlistedImages",
    ],
    [
      "evictionHard[pid.available]",
      { evictionHard: { "pid.available": "0" } },
      "must be positive; 0% switches the signal off",
    ],
    [
      "registerWithTaints[0].timeAdded",
      { registerWithTaints: [{ key: "a", effect: "NoSchedule", timeAdded: "2026-01-01T00:00:00Z" }] },
      "is for the control plane to set",
    ],
    ["allowedUnsafeSysctls[0]", { allowedUnsafeSysctls: ["net.a b"] }, '"net.a b" is no name or prefix of a sysctl'],
    ["enforceNodeAllocatable", { enforceNodeAllocatable: ["pods", "pods"] }, "holds an entry twice"],
    [
      "enforceNodeAllocatable",
      {
        enforceNodeAllocatable: ["system-reserved", "system-reserved-compressible"],
        systemReservedCgroup: "/system",
      },
      "may not hold both system-reserved and system-reserved-compressible",
    ],
    [
      "reservedSystemCPUs",
      { reservedSystemCPUs: "0", systemReservedCgroup: "/system" },
      "cannot be used together with systemReservedCgroup",
    ],
    [
      "userNamespaces.idsPerPod",
      { userNamespaces: { idsPerPod: 2 ** 32 } },
      "4294967296 is not a multiple of 65536 below 4294967296",
    ],
    [
      "tracing.samplingRatePerMillion",
      { tracing: { samplingRatePerMillion: 1_000_001 } },
      "must be between 0 and 1000000",
    ],
  ])("with a bad %s: %j", (field, main, problem) => {
    expect(refusal(main)).toBe(`--config: /main.yaml: ${field}: ${problem}`);
  });

  it.each(["vm.*", "*", "kernel.*", "kernel.panic", "net", "kernel/panic"])(
    "with pods allowed to set what the kernel does not keep apart for them: %s",
    (pattern) => {
      expect(refusal({ allowedUnsafeSysctls: ["net.*", pattern] })).toBe(
        `--config: /main.yaml: allowedUnsafeSysctls[1]: "${pattern}" is not known to be namespaced`,
      );
    },
  );

  it("with the drop-in named that is at fault", () => {
    expect(refusal({ maxPods: 1 }, { "10-a.conf": { maxPods: -1 }, "20-b.conf": { podsPerCore: 1 } })).toBe(
      "--config-dir: /conf.d/10-a.conf: maxPods: -1 is not between 0 and 2147483647",
    );
    rmSync(join(folder, "conf.d"), { recursive: true });
    expect(refusal({}, { "10-a.conf": "kind: Pod" })).toMatch(
      /^--config-dir: \/conf\.d\/10-a\.conf: kind: "Pod" is not/,
    );
  });

  it("when a key stands twice", () => {
    expect(refusal(`apiVersion: ${HEAD.apiVersion}\nkind: ${HEAD.kind}\nmaxPods: 1\nmaxPods: 2\n`)).toMatch(/maxPods/);
  });

  it("when it does not parse, or is not there", () => {
    expect(refusal("maxPods: [1")).toMatch(/^--config: \/main\.yaml: /);
    expect(() => loadConfiguration({ dialect: "platform", config: join(folder, "none.yaml") })).toThrow(
      /^--config: .*none\.yaml: ENOENT/,
    );
    expect(() => loadConfiguration({ dialect: "platform", configDir: join(folder, "none.d") })).toThrow(
      /^--config-dir: ENOENT.*none\.d/,
    );
  });
});
