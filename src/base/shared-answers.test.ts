import { expect, it } from "vitest";
import { type SharedAnswer, SharedAnswers } from "./shared-answers.ts";

it("brings what one process was told to those that hear of its topic, until they go", () => {
  const answer = (topic: string): SharedAnswer => ({ topic, key: "k", value: 1, lifeMs: 10 });
  const here = new SharedAnswers((told) => there.receive(told));
  const there = new SharedAnswers(() => undefined);
  const heard: string[] = [];
  const stop = there.hear("a", ({ topic }) => heard.push(topic));
  here.hear("a", () => heard.push("its own"));
  here.tell(answer("a"));
  here.tell(answer("b"));
  stop();
  here.tell(answer("a"));
  expect(heard).toEqual(["a"]);
});
