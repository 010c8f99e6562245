// Names in scope: variables of macros around a node, declared variables, functions and object types by container.

import type { FunctionDeclaration, StructDeclaration, TypeProvider } from "../declarations.ts";
import type { Expr } from "../syntax/ast.ts";
import { CelType } from "../types.ts";
import type { CelValue } from "../values.ts";

export interface CheckerEnvironment {
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: TypeProvider;
  /** The namespace that names are looked up from, such as `a.b`. */
  readonly container: string;
  /** What names with dots begin with, fields apart; undefined where any name may. */
  readonly qualifiedRoots: ReadonlySet<string> | undefined;
}

export interface VariableDeclaration {
  readonly name: string;
  readonly type: CelType;
  /** Set for names of types and other constants. */
  readonly constant?: CelValue;
}

export class Scope {
  readonly #environment: CheckerEnvironment;
  /** Variables of the macros around the current node, innermost last. */
  readonly #locals: { name: string; type: CelType }[] = [];

  constructor(environment: CheckerEnvironment) {
    this.#environment = environment;
  }

  /** Opens a variable of a macro; `close` as many as were opened. */
  open(name: string, type: CelType): void {
    this.#locals.push({ name, type });
  }

  close(count: number): void {
    this.#locals.length -= count;
  }

  local(name: string): CelType | undefined {
    for (let index = this.#locals.length - 1; index >= 0; index--) {
      const local = this.#locals[index];
      if (local?.name === name) return local.type;
    }
    return undefined;
  }

  /** Whether `a.b.c` may be one name: its root is no local and begins the name of something declared. */
  mayQualify(expr: Expr): boolean {
    let root = expr;
    while (root.kind === "select") root = root.operand;
    if (root.kind !== "ident" || this.local(root.name) !== undefined) return false;
    const { qualifiedRoots } = this.#environment;
    return qualifiedRoots === undefined || root.name.startsWith(".") || qualifiedRoots.has(root.name);
  }

  variable(name: string): VariableDeclaration | undefined {
    for (const candidate of candidateNames(this.#environment.container, name)) {
      const found = this.#environment.variables.get(candidate);
      if (found !== undefined) return found;
      // Types that cannot be made are named after places in schemas; expressions cannot name them.
      const struct = this.#environment.types.findStruct(candidate);
      if (struct?.create !== undefined) {
        return { name: candidate, type: new CelType("type", "type", [struct.type]), constant: struct.type };
      }
    }
    return undefined;
  }

  fn(name: string): FunctionDeclaration | undefined {
    for (const candidate of candidateNames(this.#environment.container, name)) {
      const found = this.#environment.functions.get(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** With its full name. */
  struct(name: string): { name: string; declaration: StructDeclaration } | undefined {
    for (const candidate of candidateNames(this.#environment.container, name)) {
      const found = this.#environment.types.findStruct(candidate);
      if (found?.create !== undefined) return { name: candidate, declaration: found };
    }
    return undefined;
  }

  variableNames(): string[] {
    return [...this.#locals.map((local) => local.name), ...this.#environment.variables.keys()];
  }
}

/** The names that a name can mean inside a container, nearest first: `a.b.x`, `a.x`, `x`. */
export function candidateNames(container: string, name: string): string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  if (container === "") return [name];
  const parts = container.split(".");
  const names: string[] = [];
  for (let length = parts.length; length > 0; length--) names.push(`${parts.slice(0, length).join(".")}.${name}`);
  names.push(name);
  return names;
}
