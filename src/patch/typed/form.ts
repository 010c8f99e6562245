// Which of the forms that a place allows a value has.

import type { Json } from "../../base/json.ts";
import type { Atom } from "./atom.ts";

/** "all": the value does not say (it is absent or null, or of no form that the place allows). */
export type Form = "scalar" | "list" | "map" | "all";

export function formOf(atom: Atom, value: Json | undefined): Form {
  if (atom.only !== undefined) return atom.only;
  if (value === undefined || value === null) return "all";
  if (typeof value !== "object") return atom.scalar === undefined ? "all" : "scalar";
  if (Array.isArray(value)) return atom.list === undefined ? "all" : "list";
  return atom.map === undefined ? "all" : "map";
}

/** How a value of that form is treated: where it does not say, a map comes first. */
export function treatedAs(atom: Atom, form: Form): "scalar" | "list" | "map" {
  if (form !== "all") return form;
  if (atom.map !== undefined) return "map";
  return atom.scalar !== undefined ? "scalar" : "list";
}
