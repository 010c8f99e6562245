// Credentials that stand in a kubeconfig entry or in files that it names: tokens, passwords, client certificates. Files are
// read again while we run.

import type { Clock } from "../../base/clock.ts";
import type { PemSource, UserEntry } from "../kubeconfig.ts";
import { CredentialError, type CredentialSource, type Credentials, sameCredentials } from "./credential-source.ts";
import { RereadFile } from "./reread-file.ts";

/** A text, or the file that holds it. */
type Source = string | RereadFile;

export class ConfiguredCredentials implements CredentialSource {
  readonly #userName: string;
  readonly #token: Source | undefined;
  readonly #basic: string | undefined;
  readonly #certificate: Source | undefined;
  readonly #key: Source | undefined;
  #last: Credentials = {};

  constructor(userName: string, user: UserEntry, clock: Clock) {
    const { token, tokenFile, username, password, clientCertificate, clientKey } = user;
    this.#userName = userName;
    this.#token = tokenFile === undefined ? token : new RereadFile(tokenFile, clock);
    this.#basic = username === undefined ? undefined : Buffer.from(`${username}:${password ?? ""}`).toString("base64");
    this.#certificate = sourceOf(clientCertificate, clock);
    this.#key = sourceOf(clientKey, clock);
  }

  async current(): Promise<Credentials> {
    const [token, certificatePem, keyPem] = await Promise.all([
      this.#text(this.#token, "token file"),
      this.#text(this.#certificate, "client certificate"),
      this.#text(this.#key, "client key"),
    ]);
    const read: Credentials = {
      ...(token !== undefined
        ? { authorization: `Bearer ${token.trim()}` }
        : this.#basic !== undefined
          ? { authorization: `Basic ${this.#basic}` }
          : {}),
      ...(certificatePem === undefined || keyPem === undefined ? {} : { identity: { certificatePem, keyPem } }),
    };
    if (!sameCredentials(read, this.#last)) this.#last = read;
    return this.#last;
  }

  refused(): void {
    for (const source of [this.#token, this.#certificate, this.#key]) {
      if (source instanceof RereadFile) source.expire();
    }
  }

  close(): void {}

  async #text(source: Source | undefined, what: string): Promise<string | undefined> {
    if (!(source instanceof RereadFile)) return source;
    try {
      return await source.read();
    } catch (error) {
      throw new CredentialError(`user ${JSON.stringify(this.#userName)}: ${what}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

function sourceOf(source: PemSource | undefined, clock: Clock): Source | undefined {
  if (source === undefined) return undefined;
  return source.pem ?? new RereadFile(source.file!, clock);
}
