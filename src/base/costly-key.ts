// Keys that make one check of a signature so long that whoever brings them holds everybody up.

import type { KeyObject } from "node:crypto";

const MAX_MODULUS_BITS = 8192;
/** Nearly everybody's is 65537. One as long as the modulus makes a check some two hundred times as long. */
const MAX_EXPONENT = 2n ** 32n;

export function isCostlyKey({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  return modulusLength > MAX_MODULUS_BITS || publicExponent > MAX_EXPONENT;
}
