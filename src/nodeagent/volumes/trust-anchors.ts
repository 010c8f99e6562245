// The certificates that ClusterTrustBundles hold, as one file: each once, without anything but certificates around them, and in
// an order of which nobody can make anything: bundles of several owners may stand in one file. Pure.

import { X509Certificate } from "node:crypto";
import { pemBlocks } from "../../base/key-pair.ts";
import { pem } from "../../base/sign-certificate.ts";
import type { ClusterTrustBundle } from "../../kinds/certificates/cluster-trust-bundle.ts";
import type { ClusterTrustBundleProjection } from "../../kinds/core/volumes/projected-volume.ts";
import { selectorFromObject } from "../../meta/label-selector.ts";
import { FactError } from "../containers/pod-facts.ts";

/** `rankOf` orders certificates (DER): the same one always has the same rank. Fails with FactError where none is there. */
export function trustAnchors(
  source: ClusterTrustBundleProjection,
  bundles: readonly ClusterTrustBundle[],
  rankOf: (certificate: Uint8Array) => string,
): Buffer {
  const chosen = bundles.filter(isChosenBy(source));
  if (chosen.length === 0 && !source.optional) throw new FactError(problemOf(source));
  const byRank = new Map<string, Buffer>();
  for (const bundle of chosen)
    for (const certificate of certificatesOf(bundle)) byRank.set(rankOf(certificate), certificate);
  const ranks = [...byRank.keys()].sort();
  return Buffer.from(ranks.map((rank) => pem("CERTIFICATE", byRank.get(rank)!)).join(""));
}

function isChosenBy({ name, signerName, labelSelector }: ClusterTrustBundleProjection) {
  if (name !== undefined) return ({ metadata }: ClusterTrustBundle) => metadata.name === name;
  // Without a selector none is chosen, with an empty one all.
  const selector = selectorFromObject(labelSelector);
  return ({ metadata, spec }: ClusterTrustBundle) =>
    signerName !== undefined && spec.signerName === signerName && selector.matches(metadata.labels);
}

function problemOf({ name, signerName }: ClusterTrustBundleProjection): string {
  return name === undefined
    ? `no ClusterTrustBundle of the signer ${JSON.stringify(signerName ?? "")} is selected`
    : `clustertrustbundle "${name}" not found`;
}

/** Objects that are followed are frozen: what one holds is read once. */
const read = new WeakMap<ClusterTrustBundle, readonly Buffer[]>();

function certificatesOf(bundle: ClusterTrustBundle): readonly Buffer[] {
  const known = read.get(bundle);
  if (known !== undefined) return known;
  const certificates = pemBlocks(bundle.spec.trustBundle).flatMap(({ type, text }) => {
    const certificate = type === "CERTIFICATE" ? certificateOf(text) : undefined;
    return certificate ?? [];
  });
  read.set(bundle, certificates);
  return certificates;
}

/** The server takes no others; a store may hold them. */
function certificateOf(text: string): Buffer | undefined {
  try {
    return new X509Certificate(text).raw;
  } catch {
    return undefined;
  }
}
