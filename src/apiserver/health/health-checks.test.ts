import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { ALL_ENDPOINTS, HealthChecks } from "./health-checks.ts";
import { StartHooks } from "./start-hooks.ts";

const silent = { clock: new FakeClock(), onFailure: () => undefined };

async function ask(health: HealthChecks, url: string) {
  const [path = "", query] = url.split("?");
  const answer = await health.answer(path, new URLSearchParams(query));
  return answer && { status: answer.status, text: Buffer.from(answer.body as Uint8Array).toString() };
}

function withChecks(problem?: string): HealthChecks {
  const health = new HealthChecks(namesFor("kubernetes"), silent);
  health.add({ name: "ping", endpoints: ALL_ENDPOINTS, check: () => undefined });
  health.add({ name: "poststarthook/x", endpoints: ["readyz"], check: () => problem });
  return health;
}

describe("health endpoints", () => {
  const passed: [url: string, text: string][] = [
    ["/livez", "ok"],
    ["/livez/ping", "ok"],
    ["/readyz/poststarthook/x", "ok"],
    ["/livez?verbose", "[+]ping ok\nlivez check passed\n"],
    ["/readyz?verbose&exclude=ping", "[+]ping excluded: ok\n[+]poststarthook/x ok\nreadyz check passed\n"],
    ["/readyz?exclude=ping&exclude=poststarthook/x", "ok"],
    [
      "/livez?verbose&exclude=a&exclude=b",
      '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "a", "b"\nlivez check passed\n',
    ],
  ];
  it.each(passed)("%s passes", async (url, text) => {
    expect(await ask(withChecks(), url)).toEqual({ status: 200, text });
  });

  it.each(["/livez/", "/livez/nope", "/livez/poststarthook/x"])("%s is not there", async (url) => {
    expect(await ask(withChecks(), url)).toBeUndefined();
  });

  it("tells who asks for all checks which one failed, but not why", async () => {
    expect(await ask(withChecks("broken"), "/readyz")).toEqual({
      status: 500,
      text: "[+]ping ok\n[-]poststarthook/x failed: reason withheld\nreadyz check failed\n",
    });
    expect(await ask(withChecks("broken"), "/readyz?exclude=poststarthook/x")).toEqual({ status: 200, text: "ok" });
    expect(await ask(withChecks("broken"), "/livez")).toEqual({ status: 200, text: "ok" });
    expect(await ask(withChecks("broken"), "/readyz/poststarthook/x")).toEqual({
      status: 500,
      text: "internal server error: broken\n",
    });
  });

  it.each(DIALECTS)("ends a passed answer as the %s dialect does", async (dialect) => {
    const health = new HealthChecks(namesFor(dialect), silent);
    const last = dialect === "platform" ? "healthz check passed\n" : "livez check passed\n";
    expect((await ask(health, "/livez?verbose"))?.text).toBe(last);
  });

  it("takes a check that throws as failed", async () => {
    const health = new HealthChecks(namesFor("kubernetes"), silent);
    health.add({ name: "a", endpoints: ["livez"], check: () => Promise.reject(new Error("gone")) });
    expect((await ask(health, "/livez/a"))?.text).toBe("internal server error: gone\n");
  });

  it("fails while the start is not finished, liveness only after its grace period", async () => {
    const clock = new FakeClock();
    const health = new HealthChecks(namesFor("kubernetes"), { ...silent, livezGraceMs: 1000, clock });
    const start = new StartHooks(health).add("work");
    const statuses = async () => [(await ask(health, "/livez"))?.status, (await ask(health, "/readyz"))?.status];
    expect(await statuses()).toEqual([200, 500]);
    await clock.advance(1000);
    expect(await statuses()).toEqual([500, 500]);
    await expect(start(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await statuses()).toEqual([500, 500]);
    await start(async () => undefined);
    expect(await statuses()).toEqual([200, 200]);
  });
});
