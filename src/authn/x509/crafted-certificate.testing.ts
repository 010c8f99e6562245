// Certificates as no tool would make them, for the tests of chains.

import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  bits,
  boolean,
  explicit,
  implicit,
  integer,
  octets,
  oid,
  sequence,
  set,
  time,
  unsigned,
  utf8,
} from "../../base/der-writer.ts";

const HOUR_MS = 3_600_000;
const ECDSA_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));

export interface Crafted {
  readonly der: Buffer;
  readonly subject: Buffer;
  readonly key: KeyObject;
}

export interface Recipe {
  readonly name?: string;
  /** The whole subject in its place. */
  readonly subject?: Buffer;
  readonly extensions?: readonly Buffer[];
  /** 0 to 2; left out for the first. */
  readonly version?: number;
  readonly serial?: Buffer;
  readonly algorithm?: Buffer;
  readonly outerAlgorithm?: Buffer;
  readonly hash?: string;
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** After everything else, inside the outer sequence. */
  readonly trailer?: Buffer;
}

const subjectNamed = (name: string): Buffer => sequence(set(sequence(oid("2.5.4.3"), utf8(name))));

/** Signed by the issuer; by itself without one. */
export function craft(recipe: Recipe, issuer?: Crafted): Crafted {
  const { publicKey, privateKey } = recipe.keys ?? generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { version = 2, algorithm = ECDSA_SHA256, extensions = [], hash = "sha256" } = recipe;
  const subject = recipe.subject ?? subjectNamed(recipe.name ?? "x");
  const spki = publicKey.export({ type: "spki", format: "der" });
  const body = sequence(
    ...(version === 0 ? [] : [explicit(0, integer(version))]),
    recipe.serial ?? unsigned(Buffer.concat([Buffer.from([1]), createHash("sha256").update(spki).digest()])),
    algorithm,
    issuer?.subject ?? subject,
    sequence(time(recipe.fromMs ?? Date.now() - HOUR_MS), time(recipe.untilMs ?? Date.now() + HOUR_MS)),
    subject,
    spki,
    ...(extensions.length === 0 ? [] : [explicit(3, sequence(...extensions))]),
  );
  const signature = bits(sign(hash, body, issuer?.key ?? privateKey));
  const outer = recipe.outerAlgorithm ?? algorithm;
  return {
    der: sequence(body, outer, signature, ...(recipe.trailer ? [recipe.trailer] : [])),
    subject,
    key: privateKey,
  };
}

export const critical = (type: string, value: Buffer): Buffer => sequence(oid(type), boolean(true), octets(value));
const ordinary = (type: string, value: Buffer): Buffer => sequence(oid(type), octets(value));

export const authority = (maxPathLength?: number): Buffer =>
  critical("2.5.29.19", sequence(boolean(true), ...(maxPathLength === undefined ? [] : [integer(maxPathLength)])));

/** The bits of a key usage, the first one first. */
export const keyUsage = (firstByte: number): Buffer => critical("2.5.29.15", bits(Buffer.from([firstByte])));

export const usedFor = (...uses: readonly string[]): Buffer => ordinary("2.5.29.37", sequence(...uses.map(oid)));

type CraftedName = readonly ["email" | "dns" | "uri" | "ip" | "directory", string];

export const alternativeNames = (...names: readonly CraftedName[]): Buffer =>
  ordinary("2.5.29.17", sequence(...names.map(generalName)));

export const nameConstraints = (
  permitted: readonly CraftedName[],
  excluded: readonly CraftedName[] = [],
  mark = critical,
): Buffer => {
  const subtrees = (number: number, names: readonly CraftedName[]) =>
    names.length === 0 ? [] : [explicit(number, ...names.map((name) => sequence(generalName(name))))];
  return mark("2.5.29.30", sequence(...subtrees(0, permitted), ...subtrees(1, excluded)));
};

/** Addresses in hexadecimal. */
function generalName([kind, text]: CraftedName): Buffer {
  switch (kind) {
    case "email":
      return implicit(1, Buffer.from(text, "latin1"));
    case "dns":
      return implicit(2, Buffer.from(text, "latin1"));
    case "directory":
      return explicit(4, subjectNamed(text));
    case "uri":
      return implicit(6, Buffer.from(text, "latin1"));
    case "ip":
      return implicit(7, Buffer.from(text, "hex"));
  }
}
