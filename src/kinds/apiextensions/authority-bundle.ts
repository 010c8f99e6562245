// The certificates that a conversion webhook is trusted by, as definitions carry them: base64 of PEM. Pure.

import { X509Certificate } from "node:crypto";
import { pemBlocks } from "../../base/key-pair.ts";

/** Why nobody could be trusted by it, in upstream's words; undefined when there is at least one certificate, or nothing. */
export function authorityBundleProblem(bundle: string): string | undefined {
  if (bundle === "") return undefined;
  const blocks = pemBlocks(Buffer.from(bundle, "base64").toString("latin1"));
  // Blocks with headers (`Name: value`) are no plain certificates.
  const certificates = blocks.filter(({ type, text }) => type === "CERTIFICATE" && !text.includes(":"));
  const problems = certificates.map(({ text }) => certificateProblem(text));
  if (problems.some((problem) => problem === undefined)) return undefined;
  const why =
    blocks.length === 0
      ? "unable to parse bytes as PEM block"
      : problems[0] === undefined
        ? "no valid certificate authority data seen"
        : `failed to parse certificate: ${problems[0]}`;
  return `unable to load root certificates: ${why}`;
}

function certificateProblem(block: string): string | undefined {
  try {
    new X509Certificate(block);
    return undefined;
  } catch {
    return "x509: malformed certificate";
  }
}
