// Which form of an OpenAPI document a client accepts. Older clients ask for protobuf, in two spellings.

import type { DocumentForm } from "./write-document.ts";

type Endpoint = "v2" | "v3";

/** Undefined when the client accepts none of the forms there are. */
export function acceptedForm(accept: string | undefined, endpoint: Endpoint): DocumentForm | undefined {
  if (accept === undefined || accept.trim() === "") return "json";
  for (const type of byQuality(accept)) {
    if (type === JSON_TYPE || type === "*/*" || type === "application/*") return "json";
    if (type === protobufType(endpoint, ".") || type === protobufType(endpoint, "@")) return "protobuf";
  }
  return undefined;
}

export function contentTypeOf(form: DocumentForm, endpoint: "v2" | "v3"): string {
  return form === "json" ? JSON_TYPE : protobufType(endpoint, ".");
}

const JSON_TYPE = "application/json";

const protobufType = (version: string, separator: string): string =>
  `application/com.github.proto-openapi.spec.${version}${separator}v1.0+protobuf`;

function byQuality(accept: string): string[] {
  return accept
    .split(",")
    .map((clause) => {
      const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ quality }) => !(quality <= 0))
    .sort((a, b) => b.quality - a.quality)
    .map(({ type }) => type);
}
