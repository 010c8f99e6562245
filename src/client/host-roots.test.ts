import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { readHostRoots } from "./host-roots.ts";

const pem = (word: string) => `-----BEGIN CERTIFICATE-----\n${word}\n-----END CERTIFICATE-----`;

describe("the authorities of the machine", () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "roots-"));
    mkdirSync(join(dir, "one"));
    mkdirSync(join(dir, "two"));
    writeFileSync(join(dir, "bundle.pem"), `${pem("a")}\n# text between\n${pem("b")}\n`);
    writeFileSync(join(dir, "one", "b.pem"), pem("b"));
    writeFileSync(join(dir, "two", "c.pem"), pem("c"));
    symlinkSync("c.pem", join(dir, "two", "0123.0"));
    writeFileSync(join(dir, "extra.pem"), pem("d"));
    writeFileSync(join(dir, "none.txt"), "nothing");
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it("come from a file and folders, each once", () => {
    const { result, steps } = counted(
      readHostRoots({
        SSL_CERT_FILE: join(dir, "bundle.pem"),
        SSL_CERT_DIR: `${dir}/one:${dir}/two:${dir}/missing`,
        NODE_EXTRA_CA_CERTS: join(dir, "extra.pem"),
      }),
    );
    expect(result).toEqual(["a", "b", "c", "d"].map(pem));
    expect(steps).toBe(2);
  });

  it("are none where there are none", () => {
    const nowhere = { SSL_CERT_FILE: join(dir, "none.txt"), SSL_CERT_DIR: join(dir, "missing") };
    expect(atOnce(readHostRoots(nowhere))).toBeUndefined();
  });
});
