// What the definitions of the tests are made of.

export interface PublicDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string; readonly kind: string; readonly [key: string]: unknown };
    readonly scope?: string;
    readonly versions: readonly Record<string, unknown>[];
  };
  /** Without type and metadata. */
  readonly good: Record<string, unknown>;
  /** What must be there after defaulting. */
  readonly becomes: Record<string, unknown>;
  readonly bad: readonly (readonly [object: Record<string, unknown>, message: RegExp])[];
}

export const text = { type: "string" };
export const integer = { type: "integer" };
export const flag = { type: "boolean" };
export const duration = {
  type: "string",
  pattern: "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
};
export const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});
export const list = (items: unknown, more: Record<string, unknown> = {}) => ({ type: "array", items, ...more });
export const map = (values: unknown, more: Record<string, unknown> = {}) => ({
  type: "object",
  additionalProperties: values,
  ...more,
});
export const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
export const rule = (text: string, message?: string, more: Record<string, unknown> = {}) => ({
  rule: text,
  ...(message === undefined ? {} : { message }),
  ...more,
});
const conditions = list(
  object(
    {
      type: text,
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: text,
      message: text,
      lastTransitionTime: { type: "string", format: "date-time" },
    },
    { required: ["type", "status"] },
  ),
  { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
);
export const version = (name: string, spec: unknown, more: Record<string, unknown> = {}) => ({
  name,
  served: true,
  storage: true,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: object(
      {
        apiVersion: text,
        kind: text,
        metadata: { type: "object" },
        spec,
        status: object({ conditions, replicas: integer, selector: text }),
      },
      { required: ["spec"] },
    ),
  },
  ...more,
});
