// `cel.bind(name, value, expression)`: a value that is worked out once and has a name inside of the expression.

import type { Library } from "../declarations.ts";
import { expandBind, MacroError, variableName } from "../syntax/macros.ts";

export const bindingsLibrary: Library = {
  name: "bindings",
  macros: [
    {
      name: "bind",
      arity: 3,
      member: true,
      expand(builder, target, [variable, value, body]) {
        if (target?.kind !== "ident" || target.name !== "cel") return undefined;
        if (variable === undefined || value === undefined || body === undefined) return undefined;
        const name = variableName(variable);
        return name instanceof MacroError ? name : expandBind(builder, name, value, body);
      },
    },
  ],
};
