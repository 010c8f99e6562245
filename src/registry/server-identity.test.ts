import { expect, it } from "vitest";
import { hashLabel, serverIdentity } from "./server-identity.ts";

it("tells machines apart, and stays the same on one", () => {
  expect(serverIdentity("one")).toMatch(/^apiserver-[a-z2-7]{26}$/);
  expect(serverIdentity("one")).toBe(serverIdentity("one"));
  expect(serverIdentity("one")).not.toBe(serverIdentity("two"));
});

it("makes labels of texts, and none of nothing", () => {
  expect(hashLabel("a")).toBe("sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
  expect(hashLabel("")).toBe("");
});
