import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseFlags } from "../base/flags.ts";
import { PROXY_CONFIGURATIONS } from "../meta/names.ts";
import { checkSupport, type NftablesSupport } from "./check-support.ts";
import { DEFAULT_CONFIGURATION, loadConfiguration } from "./proxy-configuration.ts";
import { configurationOf, proxyFlags } from "./proxy-flags.ts";

const folder = mkdtempSync(join(tmpdir(), "plinth-proxy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(fields: object, args: readonly string[] = [], type = PROXY_CONFIGURATIONS[0]!) {
  const file = join(folder, "config");
  writeFileSync(file, JSON.stringify({ ...type, ...fields }));
  return loadConfiguration(file, configurationOf(parseFlags(proxyFlags, args).options)).configuration;
}

describe("the configuration of the proxy", () => {
  it("has upstream's defaults", () => {
    expect(DEFAULT_CONFIGURATION).toMatchObject({
      healthzBindAddress: "0.0.0.0:10256",
      metricsBindAddress: "127.0.0.1:10249",
      detectLocalMode: "ClusterCIDR",
      conntrack: {
        maxPerCore: 32_768,
        min: 131_072,
        tcpBeLiberal: false,
        tcpCloseWaitTimeoutMs: 3_600_000,
        tcpEstablishedTimeoutMs: 86_400_000,
        udpStreamTimeoutMs: 0,
        udpTimeoutMs: 0,
      },
      oomScoreAdj: -999,
      nftables: {
        masqueradeBit: 14,
        masqueradeAll: false,
        minSyncPeriodMs: 1_000,
        syncPeriodMs: 30_000,
        skipKernelVersionCheck: false,
      },
    });
  });

  it.each(PROXY_CONFIGURATIONS)("is read from a file of $apiVersion", (type) => {
    const nftables = { skipKernelVersionCheck: true, syncPeriod: "1m" };
    expect(load({ nftables, clusterCIDR: "10.0.0.0/8" }, [], type)).toMatchObject({
      clusterCIDR: "10.0.0.0/8",
      nftables: { skipKernelVersionCheck: true, syncPeriodMs: 60_000, minSyncPeriodMs: 1_000 },
    });
  });

  it("has what flags say before what the file says", () => {
    const file = {
      clusterCIDR: "10.0.0.0/8",
      hostnameOverride: "x",
      nodePortAddresses: ["10.0.0.0/8"],
      healthzBindAddress: ":1",
      nftables: { masqueradeBit: 3 },
      featureGates: { AllAlpha: true, PreferSameTrafficDistribution: true },
    };
    const flags = [
      "--cluster-cidr=10.1.0.0/16,fd00::/64",
      "--hostname-override=y",
      "--nodeport-addresses=primary",
      "--healthz-bind-address=127.0.0.1:2",
      "--metrics-bind-address=",
      "--masquerade-all",
      "--detect-local-mode=NodeCIDR",
      "--feature-gates=PreferSameTrafficDistribution=false",
    ];
    expect(load(file, flags)).toMatchObject({
      clusterCIDR: "10.1.0.0/16,fd00::/64",
      hostnameOverride: "y",
      nodePortAddresses: ["primary"],
      healthzBindAddress: "127.0.0.1:2",
      metricsBindAddress: "",
      detectLocalMode: "NodeCIDR",
      featureGates: { AllAlpha: true, PreferSameTrafficDistribution: false },
      nftables: { masqueradeBit: 3, masqueradeAll: true },
    });
  });

  it("takes what files of clusters say of other modes, and says that it has no effect", () => {
    const file = join(folder, "of-a-cluster");
    const fields = {
      iptables: { masqueradeBit: 3 },
      ipvs: { scheduler: "rr" },
      winkernel: {},
      configSyncPeriod: "15m",
      clientConnection: { qps: 7, contentType: "application/cbor" },
      logging: { verbosity: 2, vmodule: [{ filePattern: "a", verbosity: 3 }] },
    };
    writeFileSync(file, JSON.stringify({ ...PROXY_CONFIGURATIONS[1], ...fields }));
    const { unused, shown } = loadConfiguration(file, {});
    expect(unused).toEqual(["logging.vmodule", "clientConnection.contentType", "iptables", "ipvs"]);
    expect(shown).toMatchObject({ iptables: { masqueradeBit: 3 }, conntrack: { tcpEstablishedTimeout: "24h0m0s" } });
  });

  it.each<[object, string]>([
    [{ bindAddress: "here" }, 'bindAddress: "here" is not an IP address'],
    [{ oomScoreAdj: 2_000 }, "oomScoreAdj: must be between"],
    [{ conntrack: { min: -1 } }, "conntrack.min: must be greater than or equal to 0"],
    [{ conntrack: { udpTimeout: "-1s" } }, "conntrack.udpTimeout: must be greater than or equal to 0"],
    [{ logging: { format: "xml" } }, "logging.format: "],
    [{ nftables: { skipKernelVersion: true } }, "nftables.skipKernelVersion: unknown field"],
    [{ kind: "Pod" }, "kind: "],
    [{ mode: "iptables" }, "mode: "],
    [{ clusterCIDR: "10.0.0.0" }, "clusterCIDR: "],
    [{ nodePortAddresses: ["x"] }, "nodePortAddresses: "],
    [{ healthzBindAddress: "10256" }, "healthzBindAddress: "],
    [{ nftables: { masqueradeBit: 32 } }, "nftables.masqueradeBit: "],
    [{ nftables: { minSyncPeriod: "1m" } }, "nftables.minSyncPeriod: "],
    [{ nftables: { syncPeriod: "0s" } }, "nftables.syncPeriod: "],
    [
      { detectLocalMode: "BridgeInterface", detectLocal: { bridgeInterface: 'x" accept' } },
      "detectLocal.bridgeInterface: ",
    ],
    [{ detectLocalMode: "InterfaceNamePrefix" }, "detectLocal.interfaceNamePrefix: "],
  ])("refuses %j", (fields, problem) => {
    expect(() => load(fields)).toThrow(`--config: ${join(folder, "config")}: ${problem}`);
  });
});

describe("the machine", () => {
  const found = (verdict: NftablesSupport["verdict"]) => ({
    verdict,
    requirement: "kernel 5.13+",
    found: "kernel 5.4",
  });
  it("must have a kernel and an nft tool that are new enough; an older kernel will do where the check is skipped", () => {
    expect(checkSupport(found("ok"), false)).toBeUndefined();
    expect(() => checkSupport(found("discouraged"), false)).toThrow("the proxy needs kernel 5.13+; found kernel 5.4");
    expect(checkSupport(found("discouraged"), true)).toContain("kernel 5.4");
    expect(() => checkSupport(found("missing"), true)).toThrow("the proxy needs");
  });
});
