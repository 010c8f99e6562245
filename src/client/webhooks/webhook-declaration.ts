// Webhooks as operators declare them. Requirements: document 1, "Admission webhooks", "Conversion".

import type { ApiObject } from "../../meta/object.ts";
import type { ApiKind } from "../resources/resource-type.ts";

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What a webhook knows of a request beside its object. */
export interface AdmissionRequest<T> {
  readonly operation: AdmissionOperation;
  /** Before an update, and what is deleted. */
  readonly oldObject: T | undefined;
  readonly name: string;
  readonly namespace: string;
  readonly subresource: string;
  readonly userInfo: { readonly username?: string; readonly uid?: string; readonly groups?: readonly string[] };
  /** Nothing may be done outside then. */
  readonly dryRun: boolean;
  /** Shown to whoever made the request. */
  warn(text: string): void;
}

/** A refusal, in words for whoever made the request. */
export interface Denial {
  readonly deny: string;
  /** 403 when not given. */
  readonly code?: number | undefined;
}

interface AdmissionDeclaration<T> {
  /** Full name with at least three parts, `defaults.website.example.com`; also the webhook's path. */
  readonly name: string;
  readonly for: ApiKind<T>;
  /** Create and update when not given. */
  readonly operations?: readonly AdmissionOperation[] | undefined;
  /** What happens to requests while the webhook cannot be reached; "Fail" when not given. */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** By labels of namespaces: those that the webhook itself needs to run are best left out. All when not given. */
  readonly namespaceSelector?: Selector | undefined;
  readonly objectSelector?: Selector | undefined;
  /** Expressions that must all be true of a request, before anybody is called. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  /** Requests to these endpoints below the objects, too: `status`, `scale`, `exec`. Some have bodies of other kinds. */
  readonly subresources?: readonly string[] | undefined;
}

interface Selector {
  matchLabels?: Record<string, string> | undefined;
  matchExpressions?:
    | { key: string; operator: "In" | "NotIn" | "Exists" | "DoesNotExist"; values?: string[] | undefined }[]
    | undefined;
}

interface MutatingDeclaration<T> extends AdmissionDeclaration<T> {
  /** Changes the object that it is given, or refuses the request. */
  review(object: T, request: AdmissionRequest<T>): Reviewed;
}

interface ValidatingDeclaration<T> extends AdmissionDeclaration<T> {
  /** Refuses the request, or lets it pass by returning nothing. What is deleted is in oldObject and here. */
  review(object: T, request: AdmissionRequest<T>): Reviewed;
}

type Reviewed = Denial | undefined | Promise<Denial | undefined>;

export interface ConvertingDeclaration {
  /** Any version of the kind: all of them are converted. */
  readonly for: ApiKind<object> & { readonly groupName: string };
  /** The same object in another version. Its apiVersion is set, and its metadata kept, by the caller. */
  convert(object: ApiObject, version: string): ApiObject | Promise<ApiObject>;
}

export type WebhookDeclaration =
  | { readonly type: "mutating"; readonly declaration: MutatingDeclaration<object> }
  | { readonly type: "validating"; readonly declaration: ValidatingDeclaration<object> }
  | { readonly type: "converting"; readonly declaration: ConvertingDeclaration };

/** A webhook that may change objects before they are written. */
export function mutating<T>(declaration: MutatingDeclaration<T>): WebhookDeclaration {
  return { type: "mutating", declaration: declaration as unknown as MutatingDeclaration<object> };
}

/** A webhook that may refuse requests. */
export function validating<T>(declaration: ValidatingDeclaration<T>): WebhookDeclaration {
  return { type: "validating", declaration: declaration as unknown as ValidatingDeclaration<object> };
}

/** A webhook that converts the objects of a custom kind between its versions. */
export function converting(declaration: ConvertingDeclaration): WebhookDeclaration {
  return { type: "converting", declaration };
}

/** Where the webhook is found below the server's address. */
export function pathOf(webhook: WebhookDeclaration): string {
  if (webhook.type !== "converting") return `/admit/${webhook.declaration.name}`;
  const { resource, groupName } = webhook.declaration.for;
  return `/convert/${resource}.${groupName}`;
}
