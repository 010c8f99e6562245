// Who goes on in a turn of the event loop, and for how long.

import { expect, it } from "vitest";
import { asSlowWork } from "./steps.testing.ts";
import { nextWorkTurn, turnIsOver } from "./work-turns.ts";

/** Says its name after each of its turns, in which it works until the turn is over. */
async function work(name: string, said: string[], turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await nextWorkTurn();
    while (!turnIsOver());
    said.push(name);
  }
}

it("lets long work go on one after the other, in the order in which they came", async () => {
  const said: string[] = [];
  await asSlowWork(1, () => Promise.all([work("a", said, 3), work("b", said, 2), work("c", said, 1)]));
  expect(said.join("")).toBe("abcaba");
});

it("lets others have their turn after every stretch of long work, whoever did it", async () => {
  const said: string[] = [];
  let over = false;
  const others = () => {
    said.push("-");
    if (!over) setImmediate(others);
  };
  await asSlowWork(1, async () => {
    setImmediate(others);
    await Promise.all([work("a", said, 2), work("b", said, 2)]);
    over = true;
  });
  expect(said.join("")).toMatch(/^-+a-+b-+a-+b-*$/);
});

it("lets all who wait go on in one turn while their work is short", async () => {
  const said: string[] = [];
  const short = async (name: string) => {
    await nextWorkTurn();
    said.push(name);
  };
  const waiting = Promise.all([short("a"), short("b"), short("c")]);
  setImmediate(() => said.push("-"));
  await waiting;
  expect(said.join("")).toBe("abc");
});
