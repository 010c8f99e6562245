// Every file that a flag names is looked at before anything starts.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flagName } from "../base/flags.ts";
import { StartError } from "../base/start-error.ts";
import { type ApiServerOptions, parseApiServerOptions } from "./api-server-options.ts";
import { checkFiles } from "./check-files.ts";

const BUNDLES = ["clientCaFile", "requestheaderClientCaFile", "oidcCaFile", "etcdCafile"] as const;

describe("files that flags name", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "files-"));
    writeFileSync(join(folder, "empty"), "");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const checked = (options: Partial<ApiServerOptions>) => checkFiles({ ...parseApiServerOptions([]), ...options });

  it.each([
    ...BUNDLES,
    "tokenAuthFile",
    "authenticationConfig",
    "authenticationTokenWebhookConfigFile",
    "authorizationConfig",
    "authorizationPolicyFile",
    "authorizationWebhookConfigFile",
    "auditPolicyFile",
    "auditWebhookConfigFile",
    "serviceAccountSigningKeyFile",
    "egressSelectorConfigFile",
    "tlsCertFile",
    "tlsPrivateKeyFile",
    "proxyClientCertFile",
    "proxyClientKeyFile",
    "etcdCertfile",
    "etcdKeyfile",
  ] as const)("must be there: %s", async (key) => {
    const file = join(folder, "missing");
    const failed = await checked({ [key]: file }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StartError);
    expect((failed as Error).message).toContain(`--${flagName(key)} ${file}: `);
  });

  it("must all be there, where a flag names several", async () => {
    const files = ["empty", "missing"].map((name) => join(folder, name));
    await expect(checked({ serviceAccountKeyFile: files })).rejects.toThrow(`--service-account-key-file ${files[1]}: `);
  });

  it.each(BUNDLES)("must hold certificates: %s", async (key) => {
    await expect(checked({ [key]: join(folder, "empty") })).rejects.toThrow("there is no PEM block");
  });
});
