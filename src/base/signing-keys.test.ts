import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { parseSigningKey, temporarySigningKey } from "./signing-keys.ts";

describe("a temporary signing key", () => {
  it("is a key of its own each time, with the identifier that its text has", () => {
    const [first, second] = [temporarySigningKey(), temporarySigningKey()];
    expect(first.id).not.toBe(second.id);
    const pem = first.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    expect(parseSigningKey(pem)).toMatchObject({ id: first.id, algorithm: "ES256" });
  });

  it("is published while what made it is collected", () => {
    const script = `
      import { temporarySigningKey } from ${JSON.stringify(new URL("signing-keys.ts", import.meta.url).pathname)};
      for (let made = 0; made < 20; made++) {
        const { key } = temporarySigningKey();
        for (let published = 0; published < 1000; published++) key.export({ format: "jwk" });
      }
      console.log("done");
    `;
    const { outputFiles } = buildSync({
      stdin: { contents: script, resolveDir: import.meta.dirname },
      bundle: true,
      platform: "node",
      write: false,
    });
    // A small young generation is collected often, a process that waits for itself hears nothing but SIGKILL.
    const { stdout } = spawnSync(process.execPath, ["--max-semi-space-size=1", "-"], {
      input: outputFiles[0]!.text,
      encoding: "utf8",
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    expect(stdout).toBe("done\n");
  }, 30_000);
});
