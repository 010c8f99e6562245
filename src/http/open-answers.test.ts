import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { Sending } from "./message.ts";
import { OpenAnswers } from "./open-answers.ts";

class FakeAnswer implements Sending {
  queuedBytes = 1;
  progress = 0;
  deadlineMs = Number.POSITIVE_INFINITY;
  cuts = 0;

  cut(): void {
    this.cuts += 1;
  }
}

const opened = (more: Partial<FakeAnswer> = {}) => {
  const answers = new OpenAnswers();
  const answer = Object.assign(new FakeAnswer(), more);
  return { answers, answer, forget: answers.add(answer) };
};

describe("OpenAnswers", () => {
  it("cuts an answer off when its time is over, once", () => {
    const { answers, answer } = opened({ deadlineMs: 5_000 });
    answers.sweep(4_999);
    expect(answer.cuts).toBe(0);
    answers.sweep(5_000);
    answers.sweep(6_000);
    expect(answer.cuts).toBe(1);
  });

  it("leaves an answer alone that has left", () => {
    const { answers, answer, forget } = opened({ deadlineMs: 5_000 });
    forget();
    answers.sweep(6_000);
    expect(answer.cuts).toBe(0);
  });

  it("cuts a lasting answer off whose client takes nothing for a minute", () => {
    const { answers, answer } = opened();
    answers.sweep(0);
    answers.sweep(59_999);
    expect(answer.cuts).toBe(0);
    answers.sweep(60_000);
    expect(answer.cuts).toBe(1);
  });

  it("keeps a lasting answer whose client reads slowly, or has nothing to read", () => {
    const { answers, answer } = opened();
    for (let second = 0; second < 300; second += 1) {
      if (second % 50 === 0) answer.progress += 1;
      answers.sweep(second * 1_000);
    }
    answer.queuedBytes = 0;
    for (let second = 300; second < 600; second += 1) answers.sweep(second * 1_000);
    expect(answer.cuts).toBe(0);
  });

  it("cuts a connection off whose last small answer has not left in time", () => {
    const answers = new OpenAnswers();
    const socket = new Socket();
    const response = {
      writableFinished: false,
      cuts: 0,
      destroy: () => {
        response.cuts += 1;
      },
    };
    const sent = (deadlineMs: number) => answers.sentAtOnce(socket, response as unknown as ServerResponse, deadlineMs);
    sent(1_000);
    sent(5_000);
    answers.sweep(4_999);
    response.writableFinished = true;
    answers.sweep(5_000);
    expect(response.cuts).toBe(0);
    response.writableFinished = false;
    answers.sweep(5_000);
    expect(response.cuts).toBe(1);
    socket.emit("close");
    answers.sweep(5_000);
    expect(response.cuts).toBe(1);
  });

  it("gives each answer less room while all of them hold much", () => {
    const { answers } = opened();
    const ample = answers.shareBytes;
    answers.queued(64 * 1024 * 1024);
    expect(answers.shareBytes).toBeLessThan(ample / 4);
    answers.queued(-64 * 1024 * 1024);
    expect(answers.shareBytes).toBe(ample);
  });
});
