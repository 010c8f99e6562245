// Who sent this request? Requirements: document 2, "Authentication".

import type { ReceivedRequest } from "../../http/message.ts";
import type { UserInfo } from "../../meta/user.ts";

export type Authentication =
  /** These credentials are good. */
  | { readonly result: "user"; readonly user: UserInfo; readonly audiences?: readonly string[] }
  /** There are credentials of this method, and they are bad. Another method may still accept them. */
  | { readonly result: "refused"; readonly error?: string }
  /** No credentials of this method. */
  | { readonly result: "none" };

export interface Authenticator {
  authenticate(request: ReceivedRequest): Authentication | Promise<Authentication>;
}
