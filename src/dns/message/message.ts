// What DNS messages are made of (RFC 1035, 2782, 3596, 6891), as far as a resolver of a cluster needs them.

/** Labels from the left, without the root; each the bytes of its label, one character a byte. */
export type DomainName = readonly string[];

export const TYPE = { A: 1, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, OPT: 41 } as const;
/** Types that are asked for and never stored. */
export const QUERY_TYPE = { IXFR: 251, AXFR: 252, ANY: 255 } as const;
export const CLASS_IN = 1;
export const OPCODE_QUERY = 0;
export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  /** Needs the upper bits that only EDNS has. */
  BADVERS: 16,
} as const;

export const HEADER_BYTES = 12;
/** What fits into an answer over UDP when the asker says nothing. */
export const PLAIN_UDP_BYTES = 512;
/** What fits into one packet on every path; more is asked for over TCP. */
export const MAX_UDP_BYTES = 1232;
export const MAX_MESSAGE_BYTES = 65_535;
/** Nobody asks at greater length. */
export const MAX_QUERY_BYTES = 4_096;

export interface Question {
  readonly name: DomainName;
  readonly type: number;
  readonly class: number;
}

export type RecordData =
  | { readonly type: "A" | "AAAA"; readonly address: Uint8Array }
  | { readonly type: "CNAME" | "PTR"; readonly target: DomainName }
  | {
      readonly type: "SRV";
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: DomainName;
    }
  | { readonly type: "TXT"; readonly text: string }
  | {
      readonly type: "SOA";
      readonly server: DomainName;
      readonly mailbox: DomainName;
      readonly serial: number;
      readonly refreshSeconds: number;
      readonly retrySeconds: number;
      readonly expireSeconds: number;
      readonly negativeTtlSeconds: number;
    };

export interface ResourceRecord {
  readonly name: DomainName;
  readonly ttlSeconds: number;
  readonly data: RecordData;
}

/** What a party says of itself with EDNS. */
interface Edns {
  readonly udpBytes: number;
  readonly version: number;
}

export interface Message {
  readonly id: number;
  readonly isAnswer: boolean;
  readonly opcode: number;
  readonly isAuthoritative: boolean;
  readonly isTruncated: boolean;
  readonly recursionDesired: boolean;
  readonly recursionAvailable: boolean;
  readonly rcode: number;
  readonly questions: readonly Question[];
  readonly answers: readonly ResourceRecord[];
  readonly authority: readonly ResourceRecord[];
  readonly additional: readonly ResourceRecord[];
  readonly edns?: Edns | undefined;
}

/** Names are compared without regard to the case of ASCII letters, and to no other. */
export function lowerCase(name: DomainName): DomainName {
  return name.map((label) => label.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
}

/** Of a name as people write it, with or without the last dot. Undefined when it cannot be one. */
export function nameFromText(text: string): DomainName | undefined {
  const labels = text.replace(/\.$/, "").split(".");
  const isName = labels.every((label) => /^[\x21-\x7e]{1,63}$/.test(label)) && text.length <= MAX_NAME_BYTES - 2;
  return isName ? labels : undefined;
}

/** Of a name on the wire, with the lengths of labels and the root. */
export const MAX_NAME_BYTES = 255;
