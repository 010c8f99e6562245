// The authenticators that the options ask for, as one.

import { readFileSync } from "node:fs";
import { StartError } from "../../base/start-error.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { Authenticator } from "./authenticator.ts";
import { parseTokenFile, staticTokens } from "./token-file.ts";

export function buildAuthenticator(options: ApiServerOptions): Authenticator {
  if (options.tokenAuthFile === undefined) return { authenticate: () => ({ result: "none" }) };
  return staticTokens(readTokens(options.tokenAuthFile));
}

function readTokens(file: string) {
  try {
    return parseTokenFile(readFileSync(file, "utf8"));
  } catch (error) {
    throw new StartError(`--token-auth-file=${file}: ${(error as Error).message}`);
  }
}
