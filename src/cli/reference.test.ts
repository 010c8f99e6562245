import { describe, expect, it } from "vitest";
import { PROGRAM } from "./pctl.ts";
import { commandReference } from "./reference.testing.ts";

describe("the reference of pctl", () => {
  it("is what docs/pctl.md says; vitest -u writes it anew", async () => {
    await expect(commandReference(PROGRAM)).toMatchFileSnapshot("../../docs/pctl.md");
  });
});
