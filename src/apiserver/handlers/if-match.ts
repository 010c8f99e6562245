// The version of the object that a patch is meant for, when a header says it.
// Requirements: document 1, "Request and response headers".

import type { HeaderList } from "../../http/message.ts";
import type { ObjectChange } from "../../registry/update-object.ts";

export function ifMatch(headers: HeaderList): Pick<ObjectChange, "expected"> {
  const header = headers.first("if-match") ?? "";
  const version = /^(?:W\/)?"?([^"]*)"?$/.exec(header)?.[1] ?? "";
  return version === "" || version === "*" ? {} : { expected: { resourceVersion: version } };
}
