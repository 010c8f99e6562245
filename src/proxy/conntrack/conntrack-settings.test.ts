import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIGURATION } from "../proxy-configuration.ts";
import { applySettings, conntrackSettings } from "./conntrack-settings.ts";

const DEFAULTS = DEFAULT_CONFIGURATION.conntrack;
const DIR = "/proc/sys/net/netfilter/nf_conntrack";
const BUCKETS = "/sys/module/nf_conntrack/parameters/hashsize";

function asked(changes: Partial<typeof DEFAULTS>, cores = 2): Record<string, number> {
  return Object.fromEntries(
    conntrackSettings({ ...DEFAULTS, ...changes }, cores).map(({ path, value }) => [path, value]),
  );
}

describe("what the proxy asks of the kernel's connection tracking", () => {
  it("is room for connections by the number of processors, and never less than the minimum", () => {
    expect(asked({})).toEqual({
      [`${DIR}_max`]: 131_072,
      [`${DIR}_tcp_timeout_established`]: 86_400,
      [`${DIR}_tcp_timeout_close_wait`]: 3_600,
      [BUCKETS]: 32_768,
    });
    expect(asked({}, 64)[`${DIR}_max`]).toBe(64 * 32_768);
    expect(asked({ maxPerCore: 1_000, min: 10 }, 8)).toMatchObject({ [`${DIR}_max`]: 8_000, [BUCKETS]: 2_000 });
  });

  it("is nothing of what is 0 in the configuration", () => {
    expect(asked({ maxPerCore: 0, tcpEstablishedTimeoutMs: 0, tcpCloseWaitTimeoutMs: 0 })).toEqual({});
  });

  it("is all that the configuration says", () => {
    expect(
      asked({ maxPerCore: 0, tcpBeLiberal: true, udpTimeoutMs: 10_000, udpStreamTimeoutMs: 60_000 }),
    ).toMatchObject({
      [`${DIR}_tcp_be_liberal`]: 1,
      [`${DIR}_udp_timeout`]: 10,
      [`${DIR}_udp_timeout_stream`]: 60,
    });
  });
});

describe("settings of the kernel", () => {
  it("are written where they differ, buckets only where there are too few, and what is refused is told", async () => {
    const values = new Map([
      ["/max", "5\n"],
      ["/same", "7\n"],
      ["/many", "100"],
    ]);
    const problems = await applySettings(
      [
        { path: "/max", value: 9 },
        { path: "/same", value: 7 },
        { path: "/many", value: 50, isLeast: true },
        { path: "/absent", value: 1 },
      ],
      {
        async read(path) {
          const text = values.get(path);
          if (text === undefined) throw new Error("ENOENT");
          return text;
        },
        async write(path, text) {
          if (path === "/same") throw new Error("written though it is the same");
          values.set(path, text);
        },
      },
    );
    expect(Object.fromEntries(values)).toEqual({ "/max": "9", "/same": "7\n", "/many": "100" });
    expect(problems).toEqual(["/absent: ENOENT"]);
  });
});
