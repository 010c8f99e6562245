// How a component logs, as the configuration files of several say it.

import { f } from "./config-fields.ts";

export const LOG_FORMATS: readonly string[] = ["text", "json"];

export const loggingFields = {
  format: f.string("text"),
  flushFrequency: f.duration("5s"),
  verbosity: f.int(0),
  vmodule: f.list(f.struct({ filePattern: f.string(""), verbosity: f.int(0) })),
  options: f.struct({
    text: f.struct({ splitStream: f.bool(false), infoBufferSize: f.string("0") }),
    json: f.struct({ splitStream: f.bool(false), infoBufferSize: f.string("0") }),
  }),
} as const;
