// How a component logs, as the configuration files of several say it.

import { f } from "./config-fields.ts";

/** Lines are written one by one and at once, and a line has no file of its source. */
export const LOGGING_WITHOUT_EFFECT = ["logging.flushFrequency", "logging.vmodule", "logging.options"] as const;

export const loggingFields = {
  format: f.choice(["text", "json"], "text"),
  flushFrequency: f.duration("5s"),
  verbosity: f.int(0),
  vmodule: f.list(f.struct({ filePattern: f.string(""), verbosity: f.int(0) })),
  options: f.struct({
    text: f.struct({ splitStream: f.bool(false), infoBufferSize: f.string("0") }),
    json: f.struct({ splitStream: f.bool(false), infoBufferSize: f.string("0") }),
  }),
} as const;
