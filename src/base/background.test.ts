// All loops of a process: failures in one place, idle and closed together.

import { describe, expect, it } from "vitest";
import { Background } from "./background.ts";
import { FakeClock } from "./clock.ts";
import type { Log } from "./log.ts";

function start() {
  const lines: unknown[] = [];
  const counted: string[] = [];
  const log = { warn: (fields: object, text: string) => lines.push([fields, text]) } as unknown as Log;
  const background = new Background({ clock: new FakeClock(), log, countFailure: (loop) => counted.push(loop) });
  return { background, lines, counted };
}

describe("Background", () => {
  it("logs and counts what fails, with the key where the loop has a word for it", async () => {
    const { background, lines, counted } = start();
    const error = new Error("no");
    const reconcile = () => Promise.reject(error);
    await background.loop({ name: "cats", failure: "cannot feed", keyField: "cat", reconcile }).settle("tom");
    await background.loop({ name: "sun", failure: "cannot rise", reconcile }).settle();
    expect(lines).toEqual([
      [{ err: error, cat: "tom" }, "cannot feed"],
      [{ err: error }, "cannot rise"],
    ]);
    expect(counted).toEqual(["cats", "sun"]);
  });

  it("is idle when no loop has anything to do, also when one gives work to another", async () => {
    const { background } = start();
    const seen: string[] = [];
    const second = background.loop({
      name: "second",
      failure: "",
      reconcile: async (key) => {
        seen.push(`second ${key}`);
        return "done";
      },
    });
    const first = background.loop({
      name: "first",
      failure: "",
      reconcile: async (key) => {
        seen.push(`first ${key}`);
        second.enqueue(key);
        return "done";
      },
    });
    first.enqueue("a");
    await background.idle();
    expect(seen).toEqual(["first a", "second a"]);
  });

  it("closes all of them", async () => {
    const { background } = start();
    const loops = ["a", "b"].map((name) => background.loop({ name, failure: "", reconcile: async () => "done" }));
    background.close();
    expect(loops.map(({ closed }) => closed)).toEqual([true, true]);
  });
});
