// Which types agree, and what the type parameters of a call stand for.

import { CelType, DYN, equalTypes, firstParam } from "../types.ts";

/** What type parameters stand for so far. A trial that fails leaves no trace. */
export class Substitution {
  /** Made when the first parameter turns up: most expressions have none. */
  #known: Map<string, CelType> | undefined;
  /** Earlier values of changed parameters, to take a failed trial back. */
  readonly #trail: { name: string; before: CelType | undefined }[] = [];
  #fresh = 0;

  freshParam(): CelType {
    return new CelType("param", `_var${this.#fresh++}`);
  }

  /** Whether values of `b` may stand where `a` is, remembering what that says about parameters. */
  assignable(a: CelType, b: CelType): boolean {
    const mark = this.#trail.length;
    if (this.#agree(a, b)) return true;
    this.#rollBack(mark);
    return false;
  }

  assignableAll(as: readonly CelType[], bs: readonly CelType[]): boolean {
    if (as.length !== bs.length) return false;
    const mark = this.#trail.length;
    for (let index = 0; index < as.length; index++) {
      if (!this.#agree(as[index] ?? DYN, bs[index] ?? DYN)) {
        this.#rollBack(mark);
        return false;
      }
    }
    return true;
  }

  /** The type with known parameters filled in; the others stay, or become dyn. */
  apply(type: CelType, unknownToDyn: boolean): CelType {
    if (type.kind === "param") {
      const known = this.#known?.get(type.name);
      if (known !== undefined) return this.apply(known, unknownToDyn);
      return unknownToDyn ? DYN : type;
    }
    if (type.params.length === 0) return type;
    let changed = false;
    const params = type.params.map((param) => {
      const applied = this.apply(param, unknownToDyn);
      if (applied !== param) changed = true;
      return applied;
    });
    return changed ? new CelType(type.kind, type.name, params) : type;
  }

  #agree(a: CelType, b: CelType): boolean {
    if (a === b) return true;
    if (b.kind === "param") {
      const { valid, known } = this.#substitutes(a, b);
      if (valid) return true;
      if (known) return false;
    }
    if (a.kind === "param") return this.#substitutes(b, a).valid;
    if (isOpen(a) || isOpen(b)) return true;
    if (a.kind === "null" || b.kind === "null") return isNullable(a.kind === "null" ? b : a);
    switch (a.kind) {
      case "type":
        return b.kind === "type";
      case "opaque":
      case "list":
      case "map":
        return a.kind === b.kind && a.name === b.name && this.#agreeAll(a.params, b.params);
      case "wrapper":
        return equalTypes(firstParam(a), b.kind === "wrapper" ? firstParam(b) : b);
      default:
        return equalTypes(a, b.kind === "wrapper" ? firstParam(b) : b);
    }
  }

  #agreeAll(as: readonly CelType[], bs: readonly CelType[]): boolean {
    return as.length === bs.length && as.every((a, index) => this.#agree(a, bs[index] ?? DYN));
  }

  /** Whether `type` can be what `param` stands for. */
  #substitutes(type: CelType, param: CelType): { valid: boolean; known: boolean } {
    if (type.kind === "param" && type.name === param.name) return { valid: true, known: true };
    const before = this.#known?.get(param.name);
    if (before === undefined) {
      if (this.#mentions(type, param.name)) return { valid: false, known: false };
      this.#set(param.name, type);
      return { valid: true, known: false };
    }
    if (equalTypes(before, type)) return { valid: true, known: true };
    if (!this.#agree(type, before)) return { valid: false, known: true };
    const general = mostGeneral(type, before);
    if (!this.#mentions(general, param.name)) this.#set(param.name, general);
    return { valid: true, known: true };
  }

  #mentions(type: CelType, name: string): boolean {
    if (type.kind === "param") {
      if (type.name === name) return true;
      const known = this.#known?.get(type.name);
      return known !== undefined && this.#mentions(known, name);
    }
    return type.params.some((param) => this.#mentions(param, name));
  }

  #set(name: string, type: CelType): void {
    this.#known ??= new Map();
    this.#trail.push({ name, before: this.#known.get(name) });
    this.#known.set(name, type);
  }

  #rollBack(mark: number): void {
    while (this.#trail.length > mark) {
      const entry = this.#trail.pop();
      if (entry === undefined) return;
      if (entry.before === undefined) this.#known?.delete(entry.name);
      else this.#known?.set(entry.name, entry.before);
    }
  }
}

/** The one of two agreeing types that covers the other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return covers(a, b) ? a : b;
}

function covers(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param") return false;
  if (a.kind === "wrapper" && (b.kind === "null" || equalTypes(firstParam(a), b))) return true;
  if (a.kind !== b.kind) return isNullable(a) && b.kind === "null";
  if (a.kind === "type") return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => covers(param, b.params[index] ?? DYN));
}

/** Errors agree with everything, so that one mistake is told once. */
function isOpen(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

function isNullable(type: CelType): boolean {
  return ["null", "wrapper", "opaque", "duration", "timestamp", "struct"].includes(type.kind);
}
