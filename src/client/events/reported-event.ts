// What a component reports, before it becomes an Event.

export interface ObjectReference {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly fieldPath?: string | undefined;
}

export interface ReportedEvent {
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference | undefined;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** What was done, in one word; events.v1 requires it. The reason when not given. */
  readonly action?: string | undefined;
}

/** What an event is named after, and what it refers to. */
export function referenceTo(object: {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name, uid, resourceVersion } = metadata;
  const parts = { apiVersion, kind, namespace, name, uid, resourceVersion };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/** Fields apart by a character that none of them has. */
export function joined(parts: readonly (string | undefined)[]): string {
  return parts.map((part) => part ?? "").join("\n");
}

export function referenceKey({ kind, namespace, name, uid, apiVersion, fieldPath }: ObjectReference): string {
  return joined([kind, namespace, name, uid, apiVersion, fieldPath]);
}
