// Keys inside JSON Pointers, for expressions that build patches.

import { declareFunction, globalOverload, type Library } from "../declarations.ts";
import { STRING } from "../types.ts";
import { ONE_PASS } from "./strings.ts";

export const jsonPatchLibrary: Library = {
  name: "jsonpatch",
  functions: [
    declareFunction(
      "jsonpatch.escapeKey",
      globalOverload(
        "string_jsonpatch_escapeKey_string",
        [STRING],
        STRING,
        (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
        ONE_PASS,
      ),
    ),
  ],
};
