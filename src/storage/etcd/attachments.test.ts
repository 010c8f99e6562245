import { describe, expect, it } from "vitest";
import { Attachments } from "./attachments.ts";

const bytes = (text: string) => Buffer.from(text);

describe("Attachments", () => {
  it("finds what belongs to a commit before and after its answer", () => {
    const attachments = new Attachments();
    const announcement = attachments.announce("/a", 4, bytes("x"), "mine");
    expect(attachments.find("/a", 4, bytes("x"), 9)).toBe("mine");
    announcement.committed(9);
    expect(attachments.find("/a", 4, bytes("x"), 9)).toBe("mine");
  });

  it("does not give it to another commit", () => {
    const attachments = new Attachments();
    const announcement = attachments.announce("/a", 4, bytes("x"), "mine");
    expect(attachments.find("/a", 4, bytes("y"), 9)).toBeUndefined();
    expect(attachments.find("/a", 3, bytes("x"), 9)).toBeUndefined();
    expect(attachments.find("/b", 4, bytes("x"), 9)).toBeUndefined();
    expect(attachments.find("/a", 4, undefined, 9)).toBeUndefined();
    announcement.committed(9);
    expect(attachments.find("/a", 4, bytes("x"), 10)).toBeUndefined();
  });

  it("tells rivals for one revision apart by their bytes, and forgets the loser", () => {
    const attachments = new Attachments();
    const loser = attachments.announce("/a", 4, bytes("x"), "loser");
    attachments.announce("/a", 4, bytes("y"), "winner").committed(9);
    loser.withdrawn();
    expect(attachments.find("/a", 4, bytes("y"), 9)).toBe("winner");
    expect(attachments.find("/a", 4, bytes("x"), 9)).toBe("winner");
    expect(attachments.find("/a", 4, bytes("x"), 8)).toBeUndefined();
  });

  it("keeps a bounded number of bytes, the last one whatever its size", () => {
    const attachments = new Attachments();
    const large = Buffer.alloc(8 * 1024 * 1024);
    for (let index = 0; index < 8; index++) attachments.announce(`/${index}`, 0, large, index);
    const kept = [0, 1, 2, 3, 4, 5, 6, 7].filter((index) => attachments.find(`/${index}`, 0, large, 9) === index);
    expect(kept).toEqual([4, 5, 6, 7]);
    const huge = Buffer.alloc(64 * 1024 * 1024);
    attachments.announce("/huge", 0, huge, "huge").committed(9);
    expect(attachments.find("/huge", 0, huge, 9)).toBe("huge");
  });

  it("keeps a bounded number", () => {
    const attachments = new Attachments();
    for (let index = 0; index < 3_000; index++) attachments.announce(`/${index}`, 0, bytes("x"), index);
    expect(attachments.find("/0", 0, bytes("x"), 9)).toBeUndefined();
    expect(attachments.find("/2999", 0, bytes("x"), 9)).toBe(2_999);
  });
});
