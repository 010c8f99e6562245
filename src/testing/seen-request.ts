// A request that the server of a test has seen.

export interface SeenRequest {
  readonly method: string;
  /** get, list, watch, create, update, patch, delete, deletecollection; the method for what is no resource. */
  readonly verb: string;
  /** Plural, with the sub-resource: `pods/status`; empty for what is no resource. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly userAgent: string;
  /** Undefined while it is under way. */
  status: number | undefined;
}
