// The ends of generated names (generateName), in upstream's alphabet: no vowels and nothing that looks like another letter.

const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;

/** `randomBelow` gives whole numbers from 0 on. */
export function randomSuffix(randomBelow: (bound: number) => number): string {
  let suffix = "";
  for (let i = 0; i < SUFFIX_LENGTH; i += 1) suffix += ALPHABET[randomBelow(ALPHABET.length)];
  return suffix;
}
