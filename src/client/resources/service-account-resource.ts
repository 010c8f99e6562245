// Service accounts: beside the verbs of every resource, their tokens.

import type { TokenRequest } from "../../kinds/authentication/token-request.ts";
import type { ServiceAccount } from "../../kinds/core/service-account.ts";
import { apiVersionOf } from "../../meta/object.ts";
import type { NameOrKey } from "./modify-object.ts";
import { Resource } from "./resource.ts";
import type { WriteOptions } from "./write-options.ts";

interface TokenOptions extends WriteOptions {
  /** The server itself when not given. */
  readonly audiences?: string[] | undefined;
  readonly expirationSeconds?: number | undefined;
  readonly boundObjectRef?: { kind: string; apiVersion: string; name: string; uid?: string | undefined } | undefined;
}

export class ServiceAccountResource extends Resource<ServiceAccount> {
  /** A token of this account. */
  async createToken(name: NameOrKey, options: TokenOptions = {}): Promise<TokenRequest["status"]> {
    const { audiences = [], expirationSeconds, boundObjectRef, ...write } = options;
    const spec = {
      audiences,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      ...(boundObjectRef === undefined ? {} : { boundObjectRef }),
    };
    const apiVersion = apiVersionOf(this.sender.names.group("authentication"), "v1");
    const request = { apiVersion, kind: "TokenRequest", spec };
    const answer = await this.subresource<TokenRequest>("token").create(name, request, write);
    return answer.status;
  }
}
