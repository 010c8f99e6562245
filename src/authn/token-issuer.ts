// Signs tokens of service accounts. Requirements: document 2, "Methods".

import { signText } from "../base/jwt-signature.ts";
import type { SigningKey } from "../base/signing-keys.ts";
import type { Names } from "../meta/names.ts";
import { type TokenClaims, writeClaims } from "./token-claims.ts";

export interface TokenIssuer {
  readonly issuer: string;
  /** The audiences of a token that asks for none. */
  readonly audiences: readonly string[];
  /** 0: no limit. */
  readonly maxLifeSeconds: number;
  /** Tokens for pods live longer than asked for, and their late use is noted. */
  readonly extendsLife: boolean;
  sign(claims: Omit<TokenClaims, "issuer">): Promise<string>;
}

interface TokenIssuerOptions extends Omit<TokenIssuer, "sign"> {
  readonly names: Names;
  readonly key: () => SigningKey;
}

export function tokenIssuer({ names, key, ...settings }: TokenIssuerOptions): TokenIssuer {
  return {
    ...settings,
    async sign(claims) {
      const { algorithm, id, privateKey } = key();
      const header = encode({ alg: algorithm, kid: id });
      const text = `${header}.${encode(writeClaims(names, { ...claims, issuer: settings.issuer }))}`;
      const signature = await signText(text, algorithm, privateKey);
      return `${text}.${signature.toString("base64url")}`;
    },
  };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
