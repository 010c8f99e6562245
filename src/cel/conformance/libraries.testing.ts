// The libraries that the conformance suite expects.

import type { Library } from "../declarations.ts";
import { bindingsLibrary } from "../lib/bindings.ts";
import { optionalLibrary } from "../lib/optional.ts";
import { standardFunctions } from "../lib/standard-functions.ts";
import { standardOperators } from "../lib/standard-operators.ts";
import { standardTime } from "../lib/standard-time.ts";
import { stringsLibrary } from "../lib/strings.ts";
import { twoVariableLibrary } from "../lib/two-variable.ts";
import { blocksLibrary, encodersLibrary } from "./extra-libraries.testing.ts";
import { mathLibrary } from "./math-library.testing.ts";
import { messageLibrary } from "./messages.testing.ts";

export const CONFORMANCE_LIBRARIES: readonly Library[] = [
  standardOperators,
  standardFunctions,
  standardTime,
  optionalLibrary,
  twoVariableLibrary,
  stringsLibrary(3),
  mathLibrary,
  encodersLibrary,
  bindingsLibrary,
  blocksLibrary,
  messageLibrary,
];
