// What a field manager is called: given by the client, or the beginning of its User-Agent.
// Requirements: document 1, "Update mechanisms", and the query parameter fieldManager.

import { isPrintable } from "../base/go-quote.ts";
import { type FieldError, invalid, tooLong } from "../meta/field-error.ts";

const MAX_MANAGER_BYTES = 128;
/** The name of a manager that nothing is known of. */
export const UNKNOWN_MANAGER = "unknown";

/** The manager of a write: the fieldManager parameter, else the User-Agent up to its first slash, else "unknown". */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager !== undefined && fieldManager !== "") return fieldManager;
  return managerFromUserAgent(userAgent ?? "") || UNKNOWN_MANAGER;
}

/** What needs no look at its single characters: each is printable and one byte. */
const PLAIN = new RegExp(`^[ -~]{0,${MAX_MANAGER_BYTES}}$`);

function managerFromUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf("/");
  const given = slash < 0 ? userAgent : userAgent.slice(0, slash);
  if (PLAIN.test(given)) return given;
  let name = "";
  let sizeBytes = 0;
  for (const character of given) {
    if (!isPrintable(character)) continue;
    sizeBytes += Buffer.byteLength(character);
    if (sizeBytes > MAX_MANAGER_BYTES) break;
    name += character;
  }
  return name;
}

/** Findings about a fieldManager parameter. Empty is not given. */
export function validateManagerName(fieldManager: string, field = "fieldManager"): FieldError[] {
  const errors: FieldError[] = [];
  if (PLAIN.test(fieldManager)) return errors;
  if (Buffer.byteLength(fieldManager) > MAX_MANAGER_BYTES) errors.push(tooLong(field, MAX_MANAGER_BYTES));
  let position = 0;
  for (const character of fieldManager) {
    if (!isPrintable(character)) {
      const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalid(field, fieldManager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(character);
  }
  return errors;
}
