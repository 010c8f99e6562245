import { afterEach, describe, expect, it } from "vitest";
import { firstProblem, listenHealth } from "./health.ts";
import type { PlainPort } from "./plain-port.ts";

let port: PlainPort | undefined;
afterEach(() => port?.close());

describe("the health of the agent", () => {
  it("is told to the machine itself without asking who it is", async () => {
    let problem: string | undefined;
    port = await listenHealth({ address: "127.0.0.1", port: 0, checks: { syncloop: () => problem } });
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port?.port}${path}`);
      return [answer.status, await answer.text()];
    };
    expect(await ask("/healthz")).toEqual([200, "ok"]);
    expect((await ask("/pods"))[0]).toBe(404);
    problem = "stuck";
    expect(await ask("/healthz")).toEqual([500, "[-]syncloop failed: stuck\nhealthz check failed\n"]);
  });

  it("is the first part that is not well", () => {
    expect(firstProblem({ a: () => undefined })).toBeUndefined();
    expect(firstProblem({ a: () => undefined, b: () => "x", c: () => "y" })).toBe("b: x");
  });
});
