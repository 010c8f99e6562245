// Extensions that only the conformance suite uses: blocks of shared sub-expressions, base64.

import { declareFunction, globalOverload, type Library } from "../declarations.ts";
import { CelError } from "../errors.ts";
import type { Expr } from "../syntax/ast.ts";
import { expandBind, type Macro, MacroError } from "../syntax/macros.ts";
import { BYTES, STRING } from "../types.ts";
import type { CelValue } from "../values.ts";

export const encodersLibrary: Library = {
  name: "encoders",
  functions: [
    declareFunction(
      "base64.encode",
      globalOverload("base64_encode_bytes", [BYTES], STRING, (bytes: Uint8Array) =>
        Buffer.from(bytes).toString("base64"),
      ),
    ),
    declareFunction("base64.decode", globalOverload("base64_decode_string", [STRING], BYTES, decodeBase64)),
  ],
};

export const blocksLibrary: Library = {
  name: "blocks",
  macros: [
    celMacro("index", 1, (builder, [index]) => builder.ident(`@index${literalOf(index)}`)),
    celMacro("iterVar", 2, (builder, [depth, unique]) => builder.ident(`@it:${literalOf(depth)}:${literalOf(unique)}`)),
    celMacro("block", 2, (builder, [list, body]) => {
      if (list?.kind !== "list") return new MacroError(list as Expr, "cel.block requires a list");
      return list.elements.reduceRight((inner, element, index) => {
        return expandBind(builder, `@index${index}`, element, inner);
      }, body as Expr);
    }),
  ],
};

function celMacro(
  name: string,
  arity: number,
  expand: (builder: Parameters<Macro["expand"]>[0], args: readonly Expr[]) => Expr | MacroError,
): Macro {
  return {
    name,
    arity,
    member: true,
    expand: (builder, target, args) =>
      target?.kind === "ident" && target.name === "cel" ? expand(builder, args) : undefined,
  };
}

function literalOf(expr: Expr | undefined): string {
  return expr?.kind === "literal" ? String(expr.value) : "";
}

function decodeBase64(text: string): CelValue {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return new CelError("illegal base64 data");
  return new Uint8Array(Buffer.from(text, "base64"));
}
