// The extenders that a configuration file names, checked as upstream checks them.

import { readSmallFileSync } from "../../base/read-small-file.ts";
import { type HttpsTarget, secureContextOf } from "../../client/tls-target.ts";
import { isExtendedResource } from "../../kinds/core/pod/resource-names.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { ConfigError } from "../../options/read-config.ts";
import type { ExtenderConfiguration } from "../profiles/configuration.ts";
import { Extender } from "./extender.ts";

/** Fails with ConfigError, which names the field. */
export function buildExtenders(configurations: readonly ExtenderConfiguration[]): readonly Extender[] {
  const managed = new Set<string>();
  const extenders = configurations.map((configuration, index) => {
    const path = `extenders[${index}]`;
    const { prioritizeVerb, weight, managedResources } = configuration;
    if (prioritizeVerb !== "" && weight <= 0)
      throw new ConfigError(`${path}.weight`, `${weight}: must have a positive weight applied to it`);
    for (const [at, { name }] of managedResources.entries()) {
      const field = `${path}.managedResources[${at}].name`;
      const [problem] = managedNameProblems(name);
      if (problem !== undefined) throw new ConfigError(field, `${JSON.stringify(name)}: ${problem}`);
      if (managed.has(name))
        throw new ConfigError(field, `${JSON.stringify(name)}: duplicate extender managed resource name`);
      managed.add(name);
    }
    return new Extender(configuration, targetOf(configuration, path));
  });
  const binders = extenders.filter(({ says }) => says.bindVerb !== "");
  if (binders.length > 1)
    throw new ConfigError(
      "extenders",
      `found ${binders.length} extenders implementing bind: only one extender can implement bind`,
    );
  return extenders;
}

/** Whatever the dialect: the file is the same in both. */
function managedNameProblems(name: string): readonly string[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return problems;
  const isExtended = DIALECTS.every((dialect) => isExtendedResource(name, namesFor(dialect)));
  return isExtended ? [] : ["is an invalid extended resource name"];
}

/** Resources that only extenders count. */
export const ignoredResources = (configurations: readonly ExtenderConfiguration[]): readonly string[] =>
  configurations.flatMap(({ managedResources }) =>
    managedResources.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name),
  );

function targetOf({ urlPrefix, enableHTTPS, tlsConfig }: ExtenderConfiguration, path: string): HttpsTarget {
  const url = URL.canParse(urlPrefix) ? new URL(urlPrefix) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new ConfigError(`${path}.urlPrefix`, `${JSON.stringify(urlPrefix)} is not an http or https URL`);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol === "http:") return { host, port: Number(url.port || 80), isPlain: true };
  const { serverName } = tlsConfig;
  const port = Number(url.port || 443);
  try {
    const authority = pem(tlsConfig.caData, tlsConfig.caFile);
    const [certificatePem, keyPem] = [
      pem(tlsConfig.certData, tlsConfig.certFile),
      pem(tlsConfig.keyData, tlsConfig.keyFile),
    ];
    const identity = certificatePem === undefined || keyPem === undefined ? undefined : { certificatePem, keyPem };
    // As upstream: who asks for HTTPS without an authority means any certificate.
    const insecure = tlsConfig.insecure || (enableHTTPS && authority === undefined);
    // A certificate that is none is noticed before the first call.
    secureContextOf({ identity, insecure: true });
    return { host, port, insecure, authority, identity, ...(serverName === "" ? {} : { serverName }) };
  } catch (error) {
    throw new ConfigError(`${path}.tlsConfig`, (error as Error).message);
  }
}

function pem(data: string, file: string): string | undefined {
  if (data !== "") return Buffer.from(data, "base64").toString("utf8");
  return file === "" ? undefined : readSmallFileSync(file).toString("utf8");
}
