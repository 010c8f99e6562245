import { beforeAll, describe, expect, it } from "vitest";
import { pemBlocks } from "../../base/key-pair.ts";
import { temporaryServingCertificate } from "../../http/certificates.ts";
import type { ClusterTrustBundle } from "../../kinds/certificates/cluster-trust-bundle.ts";
import type { ClusterTrustBundleProjection } from "../../kinds/core/volumes/projected-volume.ts";
import { FactError } from "../containers/pod-facts.ts";
import { trustAnchors } from "./trust-anchors.ts";

const authorities: string[] = [];
beforeAll(async () => {
  for (const name of ["a", "b", "c"]) {
    const { caPem } = await temporaryServingCertificate([name], { nowMs: Date.now(), lifeMs: 3_600_000 });
    authorities.push(caPem);
  }
});

const bundle = (name: string, text: string, signerName?: string, labels?: Record<string, string>) =>
  ({
    metadata: { name, ...(labels && { labels }) },
    spec: { trustBundle: text, ...(signerName && { signerName }) },
  }) as ClusterTrustBundle;
const letters = (text: string) => [...text].map((letter) => authorities["abc".indexOf(letter)]!).join("");
const bundles = () => [
  bundle("own", letters("a")),
  bundle("x.test:s:one", letters("ab"), "x.test/s", { stage: "live" }),
  bundle("x.test:s:two", letters("bc"), "x.test/s", { stage: "test" }),
  bundle("x.test:other:one", letters("c"), "x.test/other", { stage: "live" }),
];
const rankOf = (certificate: Uint8Array) => Buffer.from(certificate).toString("hex");
/** By the letters of the certificates, in the order of the alphabet. */
const chosen = (source: object, rank = rankOf) => {
  const file = trustAnchors({ path: "ca", ...source } as ClusterTrustBundleProjection, bundles(), rank);
  return pemBlocks(String(file))
    .map(({ text }) => "abc"[authorities.indexOf(text)] ?? "?")
    .sort()
    .join("");
};

describe("trusted certificates", () => {
  it.each([
    [{ name: "own" }, "a"],
    [{ name: "x.test:s:two" }, "bc"],
    [{ signerName: "x.test/s", labelSelector: {} }, "abc"],
    [{ signerName: "x.test/s", labelSelector: { matchLabels: { stage: "live" } } }, "ab"],
    [
      {
        signerName: "x.test/s",
        labelSelector: { matchExpressions: [{ key: "stage", operator: "NotIn", values: ["live"] }] },
      },
      "bc",
    ],
    [{ name: "absent", optional: true }, ""],
    [{ signerName: "x.test/s", optional: true }, ""],
    [{ signerName: "x.test/none", labelSelector: {}, optional: true }, ""],
  ])("of %j are %j, each once", (source, expected) => {
    expect(chosen(source)).toBe(expected);
  });

  it.each([
    [{ name: "absent" }, 'clustertrustbundle "absent" not found'],
    [{ signerName: "x.test/s" }, 'no ClusterTrustBundle of the signer "x.test/s" is selected'],
    [{ signerName: "x.test/s", labelSelector: { matchLabels: { stage: "none" } } }, "is selected"],
  ])("of %j are waited for: %s", (source, message) => {
    expect(() => chosen(source)).toThrow(FactError);
    expect(() => chosen(source)).toThrow(message);
  });

  it("have nothing but certificates around them", () => {
    const odd = `# mine\n${letters("a").replaceAll("\n", "\r\n")}\nbetween\n-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n${letters("b")}`;
    const file = trustAnchors({ path: "ca", name: "odd" }, [bundle("odd", odd)], rankOf);
    expect(pemBlocks(String(file)).map(({ text }) => text)).toHaveLength(2);
    expect([letters("ab"), letters("ba")]).toContain(String(file));
  });

  it("stand in the order of their ranks, whatever bundles they come from", () => {
    const source = { path: "ca", signerName: "x.test/s", labelSelector: {} };
    const backwards = (certificate: Uint8Array) =>
      [...rankOf(certificate)].map((digit) => (15 - Number.parseInt(digit, 16)).toString(16)).join("");
    const [forth, back, turned] = [
      trustAnchors(source, bundles(), rankOf),
      trustAnchors(source, bundles(), backwards),
      trustAnchors(source, bundles().reverse(), rankOf),
    ].map((file) => pemBlocks(String(file)).map(({ text }) => text));
    expect(forth).toHaveLength(3);
    expect(back).toEqual(forth?.toReversed());
    expect(turned).toEqual(forth);
  });
});
