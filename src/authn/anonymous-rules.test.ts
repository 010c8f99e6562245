// Requirements: document 2, "Anonymous requests".

import { describe, expect, it } from "vitest";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { anonymousRules } from "./build-authenticator.ts";

describe("anonymous access", () => {
  it.each<[string[], boolean | undefined, boolean]>([
    [["--authorization-mode=RBAC"], undefined, true],
    [["--authorization-mode=RBAC", "--anonymous-auth=false"], undefined, false],
    [["--authorization-mode=AlwaysAllow"], undefined, false],
    [["--authorization-mode=RBAC,AlwaysAllow"], undefined, false],
    // Whoever says so explicitly gets it.
    [["--authorization-mode=AlwaysAllow", "--anonymous-auth"], undefined, true],
    [["--authorization-mode=AlwaysAllow"], true, true],
    [["--authorization-mode=RBAC"], false, false],
  ])("with %j, and the file saying %s, is on: %s", (flags, given, enabled) => {
    const rules = anonymousRules(parseApiServerOptions(flags), given === undefined ? undefined : { enabled: given });
    expect(rules.enabled).toBe(enabled);
  });
});
