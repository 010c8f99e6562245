// The two fastest public libraries for the expression language, as the benchmark of expressions drives them: what they
// cannot do is left out. The one place that imports them.

import { celEnv, parse as parseBuf, plan } from "@bufbuild/cel";
import { Environment } from "@marcbachmann/cel-js";

export interface OtherLibrary {
  readonly name: string;
  /** From text to something that evaluates, mistakes found where the library looks for them. */
  compile(rule: string): (self: unknown) => unknown;
}

const marc = new Environment().registerVariable("self", "map");
const buf = celEnv();

export const otherLibraries: readonly OtherLibrary[] = [
  {
    name: "@marcbachmann/cel-js",
    compile(rule) {
      const program = marc.parse(rule);
      const { valid, error } = program.check();
      if (!valid) throw error;
      return (self) => program({ self });
    },
  },
  {
    name: "@bufbuild/cel",
    compile(rule) {
      const program = plan(buf, parseBuf(rule));
      return (self) => program({ self: self as never });
    },
  },
];
