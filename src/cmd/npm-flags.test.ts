import { describe, expect, it } from "vitest";
import { boolFlag, integerFlag, textFlag } from "../base/flag-values.ts";
import { npmFlags } from "./npm-flags.ts";

const table = {
  dialect: textFlag({ default: "a", doc: "" }),
  securePort: integerFlag({ default: 1, doc: "" }),
  profiling: boolFlag({ default: false, doc: "" }),
};

describe("npmFlags", () => {
  it("finds the flags that npm took for its own, and nothing of npm's", () => {
    const env = {
      npm_config_dialect: "b",
      npm_config_secure_port: "0",
      npm_config_profiling: "true",
      npm_config_cache: "/c",
    };
    expect(npmFlags(table, env)).toEqual(["--dialect=b", "--secure-port=0", "--profiling=true"]);
  });

  it("finds nothing where nothing was given", () => {
    expect(npmFlags(table, { npm_config_dialect: "", PATH: "/bin" })).toEqual([]);
  });
});
