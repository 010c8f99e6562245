// A bundle of authorities in a file, which is read again when it changes.

import type { X509Certificate } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { FollowedFile } from "../../base/follow-file.ts";
import type { Log } from "../../base/log.ts";
import { StartFiles } from "../../base/start-files.ts";
import { readFlagFile } from "../flag-file.ts";
import { CertificateAuthorities, parseCertificates } from "./certificate-authorities.ts";

/** How long a change may go unnoticed where the system does not tell of it. */
const LOOK_INTERVAL_MS = 60_000;

export interface AuthorityBundle {
  readonly flag: string;
  /** Undefined when there are only `own` ones. */
  readonly file: string | undefined;
  /** Authorities of the server itself, in PEM; empty for none. */
  readonly ownPem: string;
  /** All of it, as read. */
  readonly pem: string;
  /** Has what is in force of the file. */
  readonly startFiles: StartFiles;
}

/** Undefined when nobody is trusted. Fails with StartError. */
export function readAuthorityBundle(
  flag: string,
  file: string | undefined,
  ownPem = "",
  startFiles = new StartFiles(),
): AuthorityBundle | undefined {
  if (file === undefined) return ownPem === "" ? undefined : { flag, file, ownPem, pem: ownPem, startFiles };
  const parse = (read: string) => {
    parseCertificates(read);
    return read;
  };
  const text = readFlagFile(flag, file, parse, startFiles.read);
  return { flag, file, ownPem, pem: joined(text, ownPem), startFiles };
}

export interface FollowedAuthorities {
  readonly authorities: CertificateAuthorities;
  close(): void;
}

interface FollowContext {
  readonly clock: Clock;
  readonly log: Log;
  /** Fails on authorities that must not be trusted beside what else is. */
  readonly check: (certificates: readonly X509Certificate[]) => void;
  /** Others are trusted now. */
  readonly onChange: () => void;
}

export function followAuthorities(
  { flag, file, ownPem, pem, startFiles }: AuthorityBundle,
  { clock, log, check, onChange }: FollowContext,
): FollowedAuthorities {
  const authorities = new CertificateAuthorities(clock, parseCertificates(pem));
  if (file === undefined) return { authorities, close: () => undefined };
  let known = pem;
  const keep = (error: Error) =>
    log.warn({ err: error, flag, file }, "the authorities cannot be used; the old ones stay");
  const followed = new FollowedFile(file, {
    clock,
    known: Buffer.alloc(0),
    intervalMs: LOOK_INTERVAL_MS,
    onError: keep,
    onContent(content) {
      const text = Buffer.from(content).toString("utf8");
      const next = joined(text, ownPem);
      if (next === known) return;
      try {
        // The file must hold some itself: our own beside it must not hide that it is broken.
        parseCertificates(text);
        const certificates = parseCertificates(next);
        check(certificates);
        authorities.replace(certificates);
      } catch (error) {
        keep(error as Error);
        return;
      }
      known = next;
      startFiles.keep(new Map([[file, content]]));
      log.info({ flag, file }, "trusting new authorities");
      onChange();
    },
  });
  // It may have changed since it was read, by whoever did.
  void followed.look();
  return { authorities, close: () => followed.close() };
}

const joined = (pem: string, ownPem: string): string => (ownPem === "" ? pem : `${pem}\n${ownPem}`);
