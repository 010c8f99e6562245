// Projected volumes, and the files of the downward API that stand in them and alone.

import { append } from "../../../base/append.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { validateLabelSelector } from "../../meta/selector-validation.ts";
import { checkRequired } from "../../meta/value-checks.ts";
import { checkBundleName, checkSignerName, isOwnSigner } from "../signer-name-validation.ts";
import type { DownwardAPIVolumeFile, KeyToPath } from "../volumes/file-volumes.ts";
import type {
  ClusterTrustBundleProjection,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../volumes/projected-volume.ts";
import { checkFieldSelector, checkResourceSelector, VOLUME_FIELDS } from "./env-validation.ts";
import { checkFileMode, checkFilePath, checkKeyToPath } from "./path-validation.ts";
import type { PodRules } from "./validation-rules.ts";

export function checkProjectedVolume(
  { defaultMode, sources }: ProjectedVolumeSource,
  at: string,
  errors: FieldError[],
  rules: PodRules,
): void {
  checkFileMode(errors, `${at}.defaultMode`, defaultMode);
  const projection = new Projection(at, errors, rules);
  (sources ?? []).forEach((source, index) => {
    projection.check(source, `${at}.sources[${index}]`);
  });
}

/** Errors about a file stand at the whole volume, as upstream has them. */
export function checkDownwardFile(file: DownwardAPIVolumeFile, at: string, errors: FieldError[]): void {
  checkRequired(errors, `${at}.path`, file.path);
  checkFilePath(errors, `${at}.path`, file.path);
  if (file.fieldRef) {
    checkFieldSelector(file.fieldRef, `${at}.fieldRef`, VOLUME_FIELDS, errors);
    if (file.resourceFieldRef) {
      errors.push(invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (file.resourceFieldRef) {
    checkResourceSelector(file.resourceFieldRef, `${at}.resourceFieldRef`, true, errors);
  } else {
    errors.push(required(at, "one of fieldRef and resourceFieldRef is required"));
  }
  checkFileMode(errors, `${at}.mode`, file.mode);
}

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const KEY_TYPES = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const MIN_CERTIFICATE_SECONDS = 3600;
const MAX_CERTIFICATE_SECONDS = 7_862_400;
const MAX_OWN_CERTIFICATE_SECONDS = 86_400;

/** The sources of one volume: no two of them may write the same file. */
class Projection {
  readonly #paths = new Set<string>();
  readonly #volume: string;
  readonly #errors: FieldError[];
  readonly #rules: PodRules;

  constructor(volume: string, errors: FieldError[], rules: PodRules) {
    this.#volume = volume;
    this.#errors = errors;
    this.#rules = rules;
  }

  check(source: VolumeProjection, at: string): void {
    if (source.secret) this.#keys(source.secret, `${at}.secret`);
    if (source.configMap) this.#keys(source.configMap, `${at}.configMap`);
    for (const file of source.downwardAPI?.items ?? []) {
      checkDownwardFile(file, `${at}.downwardAPI`, this.#errors);
      if (file.path !== "") this.#claim(file.path, file.path);
    }
    if (source.serviceAccountToken) this.#token(source.serviceAccountToken, `${at}.serviceAccountToken`);
    if (source.clusterTrustBundle) this.#bundle(source.clusterTrustBundle, `${at}.clusterTrustBundle`);
    if (source.podCertificate) this.#certificate(source.podCertificate, `${at}.podCertificate`);
    if (Object.keys(source).length > 1) {
      this.#errors.push(forbiddenField(at, "may not specify more than 1 volume type per source"));
    }
  }

  #keys({ name, items }: { name?: string; items?: readonly KeyToPath[] }, at: string): void {
    checkRequired(this.#errors, `${at}.name`, name);
    (items ?? []).forEach((item, index) => {
      checkKeyToPath(item, `${at}.items[${index}]`, this.#errors);
      if (item.path !== "") this.#claim(item.path, name ?? "");
    });
  }

  #token({ expirationSeconds = 0, path }: ServiceAccountTokenProjection, at: string): void {
    const bad = (detail: string) => this.#errors.push(invalid(`${at}.expirationSeconds`, expirationSeconds, detail));
    if (expirationSeconds < MIN_TOKEN_SECONDS) bad("may not specify a duration less than 10 minutes");
    if (expirationSeconds > MAX_TOKEN_SECONDS) bad("may not specify a duration larger than 2^32 seconds");
    // Upstream names the volume's path, not that of the source.
    if (path === "") this.#errors.push(required(`${this.#volume}.path`));
    else if (!this.#rules.forgiven.tokenPaths) checkFilePath(this.#errors, `${this.#volume}.path`, path);
  }

  #bundle(bundle: ClusterTrustBundleProjection, at: string): void {
    const { name, signerName, labelSelector, path } = bundle;
    const errors = this.#errors;
    if (name !== undefined && signerName !== undefined) {
      errors.push(invalid(at, internalBundle(bundle), "only one of name and signerName may be used"));
    } else if (name !== undefined) {
      if (name === "") errors.push(required(`${at}.name`, "must be a valid object name"));
      checkBundleName(errors, `${at}.name`, name);
      if (labelSelector !== undefined) {
        errors.push(invalid(`${at}.labelSelector`, labelSelector, "labelSelector must be unset if name is specified"));
      }
    } else if (signerName !== undefined) {
      if (signerName === "") errors.push(required(`${at}.signerName`, "must be a valid signer name"));
      checkSignerName(errors, `${at}.signerName`, signerName);
      if (labelSelector) append(errors, validateLabelSelector(labelSelector, `${at}.labelSelector`));
    } else {
      errors.push(required(at, "either name or signerName must be specified"));
    }
    checkRequired(errors, `${at}.path`, path);
    checkFilePath(errors, `${at}.path`, path);
    this.#claim(path, path);
  }

  #certificate(certificate: PodCertificateProjection, at: string): void {
    const errors = this.#errors;
    const signer = certificate.signerName ?? "";
    checkSignerName(errors, `${at}.signerName`, signer);
    const keyType = certificate.keyType ?? "";
    if (!KEY_TYPES.includes(keyType)) errors.push(notSupported(`${at}.keyType`, keyType, KEY_TYPES));
    const seconds = certificate.maxExpirationSeconds;
    if (seconds !== undefined) {
      const most = isOwnSigner(signer, this.#rules.names) ? MAX_OWN_CERTIFICATE_SECONDS : MAX_CERTIFICATE_SECONDS;
      const bad = (bound: string) =>
        errors.push(
          invalid(`${at}.maxExpirationSeconds`, seconds, `if provided, maxExpirationSeconds must be ${bound}`),
        );
      if (seconds < MIN_CERTIFICATE_SECONDS) bad(`>= ${MIN_CERTIFICATE_SECONDS}`);
      if (seconds > most) bad(`<= ${most}`);
    }
    let paths = 0;
    for (const key of ["credentialBundlePath", "keyPath", "certificateChainPath"] as const) {
      const path = certificate[key];
      if (!path) continue;
      paths += 1;
      checkFilePath(errors, `${at}.${key}`, path);
      this.#claim(path, path);
    }
    if (paths > 0) return;
    errors.push(required(at, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"));
  }

  #claim(path: string, said: string): void {
    if (this.#paths.has(path)) this.#errors.push(invalid(this.#volume, said, "conflicting duplicate paths"));
    else this.#paths.add(path);
  }
}

const internalBundle = ({ name, signerName, labelSelector, optional, path }: ClusterTrustBundleProjection) => ({
  Name: name ?? null,
  SignerName: signerName ?? null,
  LabelSelector: labelSelector ?? null,
  Optional: optional ?? null,
  Path: path,
});
