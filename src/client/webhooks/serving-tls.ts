// The certificate of a webhook server: made, renewed long before its end, and shared by replicas through a Secret where one
// is named. Callers trust a bundle that holds the present authority and the one before, so that a renewal is never noticed.

import { X509Certificate } from "node:crypto";
import { temporaryServingCertificate } from "../../http/certificates.ts";
import type { ObjectKey } from "../../meta/object.ts";
import { isApiError } from "../api-error.ts";
import { kinds } from "../built-in-kinds.ts";
import type { ResourceClient } from "../resource-client.ts";

export interface ServingTls {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** Whom callers are to trust. */
  readonly bundlePem: string;
}

export interface TlsOptions {
  readonly client: ResourceClient;
  /** That callers call the server by. */
  readonly names: readonly string[];
  /** Kept in memory only when not given; then every replica has its own, and only one can be registered. */
  readonly secret?: ObjectKey | undefined;
  readonly lifeMs: number;
}

const MAX_ATTEMPTS = 5;
/** A certificate is renewed when a third of its life is left. */
const RENEW_SHARE = 3;

/** The certificate to serve with now: the known one while it is good, else the Secret's, else a new one. */
export async function currentTls(options: TlsOptions, known?: ServingTls): Promise<ServingTls> {
  if (options.secret === undefined) return isGood(known, options) ? known : renewed(options, known);
  const { namespace, name } = options.secret;
  const secrets = options.client.resource(kinds.core.v1.secrets, namespace);
  for (let attempt = 1; ; attempt += 1) {
    const held = await secrets.find(name);
    const stored = tlsOf(held?.data);
    if (isGood(stored, options)) return stored;
    const made = await renewed(options, stored ?? known);
    try {
      const data = dataOf(made);
      if (held === undefined) await secrets.create({ metadata: { name }, data });
      else await secrets.update({ ...held, data });
      return made;
    } catch (error) {
      // Another replica was faster: its certificate is as good as ours.
      if (!isApiError(error, "Conflict", "AlreadyExists") || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

async function renewed({ client, names, lifeMs }: TlsOptions, before: ServingTls | undefined): Promise<ServingTls> {
  const { caPem, ...leaf } = await temporaryServingCertificate(names, { nowMs: client.clock.nowMs(), lifeMs });
  const [newestBefore = ""] = before?.bundlePem.match(PEM) ?? [];
  return { ...leaf, bundlePem: newestBefore === "" ? caPem : `${caPem.trimEnd()}\n${newestBefore}\n` };
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function isGood(tls: ServingTls | undefined, { client, names, lifeMs }: TlsOptions): tls is ServingTls {
  if (tls === undefined) return false;
  try {
    const certificate = new X509Certificate(tls.certificatePem);
    const leftMs = Date.parse(certificate.validTo) - client.clock.nowMs();
    const covers = names.every((name) => certificate.checkHost(name) ?? certificate.checkIP(name));
    return leftMs > lifeMs / RENEW_SHARE && covers;
  } catch {
    return false;
  }
}

function tlsOf(data: Record<string, string> | undefined): ServingTls | undefined {
  if (data === undefined) return undefined;
  const text = (key: string) => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  return { certificatePem: text("tls.crt"), keyPem: text("tls.key"), bundlePem: text("ca.crt") };
}

function dataOf({ certificatePem, keyPem, bundlePem }: ServingTls): Record<string, string> {
  const encoded = (pem: string) => Buffer.from(pem).toString("base64");
  return { "tls.crt": encoded(certificatePem), "tls.key": encoded(keyPem), "ca.crt": encoded(bundlePem) };
}
