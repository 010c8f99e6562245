// The checksum of the agent's state files: FNV-1a, 32 bits, enough to know a file that was cut off.

export function checksumOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
