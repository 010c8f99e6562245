// What checking an expression gives: its tree, with a type and a meaning for every node.

import type { Overload, StructDeclaration } from "../declarations.ts";
import type { ParsedExpr } from "../syntax/ast.ts";
import type { CelType } from "../types.ts";
import type { VariableDeclaration } from "./scope.ts";

/** What the checker found a name to mean. */
export type Reference =
  | { readonly kind: "variable"; readonly declaration: VariableDeclaration }
  /** A variable of a macro; the planner keeps the same scopes. */
  | { readonly kind: "local"; readonly name: string }
  | {
      readonly kind: "function";
      readonly name: string;
      readonly overloads: readonly Overload[];
      readonly qualified: boolean;
    }
  | { readonly kind: "struct"; readonly name: string; readonly declaration: StructDeclaration };

export interface CheckedExpr extends ParsedExpr {
  /** By node id. */
  readonly types: readonly (CelType | undefined)[];
  readonly references: readonly (Reference | undefined)[];
}
