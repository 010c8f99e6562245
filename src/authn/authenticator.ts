// Who sent this request? Requirements: document 2, "Authentication".

import type { ReceivedRequest } from "../http/message.ts";
import type { UserInfo } from "../meta/user.ts";

export type Authentication =
  /** These credentials are good. */
  | {
      readonly result: "user";
      readonly user: UserInfo;
      /** Those of the asked-for audiences that the credentials are good for; without it, the server's own among them. */
      readonly audiences?: readonly string[] | undefined;
      /** What the audit event shows about the credentials. */
      readonly auditAnnotations?: readonly (readonly [key: string, value: string])[] | undefined;
      /** What the answer tells the caller about the credentials. */
      readonly warnings?: readonly string[] | undefined;
    }
  /** There are credentials of this method, and they are bad. Another method may still accept them. */
  | {
      readonly result: "refused";
      /** Why; for logs and token reviews. Never holds the credentials. */
      readonly error?: string;
      /** What the caller itself is told. */
      readonly detail?: string;
    }
  /** No credentials of this method. */
  | { readonly result: "none" };

/** Whether credentials are good; at once where nobody must be asked. */
export interface Authenticator {
  authenticate(request: CredentialRequest): Authentication | Promise<Authentication>;
}

/** As much of a request as authentication looks at. */
export type CredentialRequest = Pick<ReceivedRequest, "headers" | "path" | "connection" | "clientCertificate"> & {
  /** Warnings that the answer carries. */
  readonly warnings?: string[];
};

export const NO_CREDENTIALS: Authentication = { result: "none" };
