import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Image } from "../cri/image-messages.ts";
import { FailureBackoff } from "../failure-backoff.ts";
import { ImageError, ImagePuller, type WantedImage } from "./image-puller.ts";
import { credentialsFor } from "./pull-credentials.ts";
import { PullRecords } from "./pull-records.ts";

let clock: FakeClock;
let puller: ImagePuller;
let present: Set<string>;
let pulls: string[];
let events: string[];
let mayPull: boolean;
let refuse: (image: string, user: string | undefined) => string | undefined;

const imageOf = (name: string): Image => ({
  id: `id-${name}`,
  repoTags: [name],
  repoDigests: [],
  size: 7,
  uid: undefined,
  username: "",
  spec: undefined,
  pinned: false,
});

beforeEach(() => {
  clock = new FakeClock();
  present = new Set();
  pulls = [];
  events = [];
  refuse = () => undefined;
  mayPull = true;
  puller = makePuller();
});

function makePuller(records?: PullRecords): ImagePuller {
  return new ImagePuller({
    clock,
    records,
    backoff: new FailureBackoff({ clock, firstMs: 10_000, maxMs: 300_000 }),
    maxAtOnce: 1,
    rate: { take: () => mayPull },
    cri: {
      imageStatus: async ({ image }) => {
        const name = (image?.image ?? "").replace(/^id-/, "");
        return { image: present.has(name) ? imageOf(name) : undefined, info: {} };
      },
      pullImage: async ({ image, auth }) => {
        const name = image?.image ?? "";
        pulls.push(auth === undefined ? name : `${name} as ${auth.username}`);
        const problem = refuse(name, auth?.username);
        if (problem !== undefined) throw new Error(problem);
        present.add(name);
        return { imageRef: `id-${name}` };
      },
    },
  });
}

const want = (more: Partial<WantedImage> = {}): WantedImage => ({
  image: "example.com/app:1",
  policy: "IfNotPresent",
  podUid: "u",
  credentials: async () => [],
  sandboxConfig: {},
  runtimeHandler: "",
  report: (type, reason, message) => void events.push(`${type} ${reason}: ${message}`),
  ...more,
});
const credentialsOf = (registries: Record<string, unknown>) => async () =>
  credentialsFor("example.com/app:1", [{ source: { of: "secret", name: "s", namespace: "n", uid: "s" }, registries }]);
const failure = async (wanted: WantedImage): Promise<ImageError> => {
  const error = await puller.ensure(wanted).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ImageError);
  return error as ImageError;
};

describe("an image", () => {
  it("that is missing is pulled, and told of", async () => {
    expect((await puller.ensure(want())).id).toBe("id-example.com/app:1");
    expect(events).toEqual([
      'Normal Pulling: Pulling image "example.com/app:1"',
      'Normal Pulled: Successfully pulled image "example.com/app:1" in 0.000s. Image size: 7 bytes.',
    ]);
  });

  it("is not pulled more often than the node may", async () => {
    mayPull = false;
    await expect(puller.ensure(want())).rejects.toMatchObject({ reason: "ErrImagePull", message: "pull QPS exceeded" });
    expect(pulls).toEqual([]);
  });

  it.each([
    ["IfNotPresent", []],
    ["Never", []],
    ["Always", ["example.com/app:1"]],
  ] as const)("that is there is pulled by the policy %s: %j", async (policy, expected) => {
    present.add("example.com/app:1");
    await puller.ensure(want({ policy }));
    expect(pulls).toEqual(expected);
    if (policy !== "Always")
      expect(events).toEqual(['Normal Pulled: Container image "example.com/app:1" already present on machine']);
  });

  it("without a tag is the latest", async () => {
    await puller.ensure(want({ image: "example.com/app" }));
    expect(pulls).toEqual(["example.com/app:latest"]);
  });

  it("that must not be pulled and is missing is an error", async () => {
    expect((await failure(want({ policy: "Never" }))).reason).toBe("ErrImageNeverPull");
    expect(events[0]).toContain("Warning ErrImageNeverPull");
  });

  it("that was pulled with credentials is pulled again for a pod without, and refused where it may not be", async () => {
    const directory = mkdtempSync(join(tmpdir(), "plinth-puller-"));
    const verification = { policy: "NeverVerifyPreloadedImages", allowlist: [] } as const;
    const records = new PullRecords({
      directory,
      apiVersion: "x/v1",
      fields: { secrets: "secrets", serviceAccounts: "serviceAccounts" },
      nowMs: () => 0,
      verification,
    });
    puller = makePuller(records);
    try {
      const registries = { "example.com": { username: "a", password: "p" } };
      await puller.ensure(want({ credentials: credentialsOf(registries) }));
      expect((await failure(want({ policy: "Never" }))).reason).toBe("ErrImageNeverPull");
      refuse = (_, user) => (user === undefined ? "unauthorized" : undefined);
      expect((await failure(want())).reason).toBe("ErrImagePull");
      expect(pulls).toEqual(["example.com/app:1 as a", "example.com/app:1"]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it("with a name that is none is an error", async () => {
    const error = await failure(want({ image: "Example.com/UPPER:!" }));
    expect([error.reason, error.message]).toEqual([
      "InvalidImageName",
      expect.stringContaining("invalid reference format"),
    ]);
  });

  it.each([
    ["BAD NAME::x", "invalid reference format: repository name (library/BAD NAME) must be lowercase"],
    ["example.com/App:1", "invalid reference format: repository name (App) must be lowercase"],
    ["example.com/app:!", "invalid reference format"],
  ])("with the name %j is refused with its reason", async (image, why) => {
    const { message } = await failure(want({ image }));
    expect(message).toBe(`Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${why}`);
  });

  it("that cannot be pulled is left alone for a while, longer each time", async () => {
    refuse = () => "no such image";
    expect(await failure(want())).toMatchObject({ reason: "ErrImagePull", message: "no such image" });
    expect(await failure(want())).toMatchObject({
      reason: "ImagePullBackOff",
      message: 'Back-off pulling image "example.com/app:1": ErrImagePull: no such image',
    });
    await clock.advance(10_000);
    expect((await failure(want())).reason).toBe("ErrImagePull");
    await clock.advance(10_000);
    expect((await failure(want())).reason).toBe("ImagePullBackOff");
    await clock.advance(10_000);
    refuse = () => undefined;
    await puller.ensure(want());
    expect(pulls).toHaveLength(3);
  });

  it("is pulled for one pod while another is left alone", async () => {
    refuse = () => "no";
    await failure(want());
    refuse = () => undefined;
    await puller.ensure(want({ podUid: "other" }));
  });

  it("is pulled with the credentials that the registry takes", async () => {
    const registries = {
      "example.com": { username: "a", password: "p" },
      "https://example.com": { username: "b", password: "p" },
    };
    refuse = (_, user) => (user === "b" ? undefined : "unauthorized");
    await puller.ensure(want({ credentials: credentialsOf(registries) }));
    expect(pulls).toEqual(["example.com/app:1 as a", "example.com/app:1 as b"]);
  });

  it("waits for its turn, and a failure hands the turn on", async () => {
    refuse = (name) => (name.endsWith(":1") ? "no" : undefined);
    const results = await Promise.allSettled([
      puller.ensure(want()),
      puller.ensure(want({ image: "example.com/app:2" })),
      puller.ensure(want({ image: "example.com/app:3" })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  });
});
