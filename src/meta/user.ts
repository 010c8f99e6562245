// Who asks. Requirements: document 2, "Users and attributes".

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Null-prototype or Map-made: keys are user text. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const SYSTEM_MASTERS = "system:masters";
export const AUTHENTICATED_GROUP = "system:authenticated";
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";
export const ANONYMOUS_USER = "system:anonymous";

/** The end of a header name as the key of an extra attribute; what is not percent-encoded correctly stays as it is. */
export function extraKey(text: string): string {
  const lower = text.toLowerCase();
  try {
    return decodeURIComponent(lower);
  } catch {
    return lower;
  }
}
