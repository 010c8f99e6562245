import { describe, expect, it } from "vitest";
import { parseImage } from "./image-reference.ts";

describe("a reference of an image", () => {
  it.each([
    ["app", { repository: "app" }],
    ["team/app:1.0", { repository: "team/app", tag: "1.0" }],
    [
      "registry.example.com:5000/app",
      { repository: "registry.example.com:5000/app", registry: "registry.example.com:5000" },
    ],
    ["localhost/app:x", { repository: "localhost/app", registry: "localhost", tag: "x" }],
    ["[fd00::1]:5000/app:1", { repository: "[fd00::1]:5000/app", registry: "[fd00::1]:5000", tag: "1" }],
    ["[fd00::1]/team/app", { repository: "[fd00::1]/team/app", registry: "[fd00::1]" }],
    [`app@sha256:${"0".repeat(64)}`, { repository: "app", digest: `sha256:${"0".repeat(64)}` }],
  ])("%s", (text, expected) => {
    expect(parseImage(text)).toEqual(expected);
  });

  it.each(["", "a b", " app", "App", "app:", "app:a b", "app@x", "[fd00::1", "[fe80::1%eth0]/app", "[]/app", "a//b"])(
    "is not %j",
    (text) => {
      expect(parseImage(text)).toBeUndefined();
    },
  );
});
