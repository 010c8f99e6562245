// What servers behind this one publish, as far as it becomes part of our documents.

import type { JsonObject } from "../../base/json.ts";
import type { Response } from "../../http/message.ts";
import type { AuthorizedRequest } from "../../registry/request.ts";

/** A document of version 2, reduced to what is published of it. Never changed once it is here. */
export interface OtherDocument {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
  readonly parameters: JsonObject;
}

export interface OtherDocuments {
  /** Version 2, the most important first. The same values as long as nothing has changed. */
  v2(): readonly OtherDocument[];
  /** Version 3, by the name that the index has for them (`apis/shop.example.com/v1`). */
  v3(): ReadonlyMap<string, OtherVersion3>;
  /** Carries a request for a document of version 3 to the server that has it. */
  forward(request: AuthorizedRequest, name: string): Promise<Response> | undefined;
}

export type OtherVersion3 =
  /** The server has it; empty when it says no hash. */
  | { readonly hash: string; readonly made?: undefined }
  /** The server has version 2 alone: this is made of that. */
  | { readonly made: { readonly paths: JsonObject; readonly definitions: JsonObject } };
