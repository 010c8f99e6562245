import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { IptablesChains } from "./iptables-chains.ts";

/** What each program has: "mangle KUBE-IPTABLES-HINT", "filter OUTPUT -j KUBE-FIREWALL". */
let rules: Map<string, string[]>;
let clock: FakeClock;
let chains: IptablesChains;
let calls: number;
let missing: string | undefined;

beforeEach(() => {
  rules = new Map([
    ["iptables", []],
    ["ip6tables", []],
  ]);
  clock = new FakeClock();
  calls = 0;
  missing = undefined;
  chains = new IptablesChains({
    clock,
    log: silentLog,
    run: async (program, [, table, verb, ...words]) => {
      calls += 1;
      if (program === missing) return "missing";
      const known = rules.get(program)!;
      const rule = [table, ...words].join(" ");
      if (verb === "-S" || verb === "-C") return known.includes(rule) ? "done" : "failed";
      known.push(rule);
      return "done";
    },
  });
});
afterEach(() => chains.close());

const round = async (ms = 0) => {
  await clock.advance(ms);
  for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
  await clock.advance(0);
};
const FOR_BOTH = ["mangle KUBE-IPTABLES-HINT", "mangle KUBE-KUBELET-CANARY", "nat KUBE-KUBELET-CANARY"];

describe("chains of iptables", () => {
  it("are made in both families, with the rule against martian packets in one", async () => {
    chains.start();
    await expect.poll(() => round().then(() => rules.get("ip6tables"))).toContain("filter KUBE-KUBELET-CANARY");
    await expect.poll(() => round().then(() => rules.get("iptables"))).toContain("filter KUBE-KUBELET-CANARY");
    expect(rules.get("ip6tables")).toEqual([...FOR_BOTH, "filter KUBE-KUBELET-CANARY"]);
    expect(rules.get("iptables")).toEqual(
      expect.arrayContaining([
        ...FOR_BOTH,
        "filter KUBE-FIREWALL",
        "filter OUTPUT -j KUBE-FIREWALL",
        "filter INPUT -j KUBE-FIREWALL",
        expect.stringContaining("--dst 127.0.0.0/8 ! --src 127.0.0.0/8 -m conntrack ! --ctstate"),
      ]),
    );
  });

  it("are only looked at while they are there, and made again when somebody has flushed them", async () => {
    chains.start();
    await expect.poll(() => round().then(() => rules.get("iptables"))).toContain("filter KUBE-KUBELET-CANARY");
    await expect.poll(() => round().then(() => rules.get("ip6tables"))).toContain("filter KUBE-KUBELET-CANARY");
    const before = calls;
    await expect.poll(() => round(1_000).then(() => calls)).toBe(before + 6);
    rules.set("iptables", []);
    await expect.poll(() => round(1_000).then(() => rules.get("iptables"))).toContain("mangle KUBE-IPTABLES-HINT");
  });

  it("are none where the program is missing", async () => {
    missing = "iptables";
    chains.start();
    await expect.poll(() => round().then(() => rules.get("ip6tables"))).toContain("filter KUBE-KUBELET-CANARY");
    expect(rules.get("iptables")).toEqual([]);
  });
});
