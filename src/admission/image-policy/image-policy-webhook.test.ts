import { describe, expect, it } from "vitest";
import { SleeplessClock } from "../../base/clock.testing.ts";
import { namesFor } from "../../meta/names.ts";
import type { StatusError } from "../../meta/status-error.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { readImagePolicySettings } from "./image-policy-settings.ts";
import { imagePolicyWebhook } from "./image-policy-webhook.ts";

type Reply = { status: number; body: unknown } | Error;

const SETTINGS = { allowTtlMs: 1000, denyTtlMs: 500, retryBackoffMs: 10, defaultAllow: false };

function start(settings: Partial<typeof SETTINGS> = {}) {
  const replies: Reply[] = [];
  const asked: unknown[] = [];
  const clock = new SleeplessClock(0);
  const plugin = imagePolicyWebhook(
    {
      names: namesFor("kubernetes"),
      clock,
      post: async (body) => {
        asked.push(body);
        const reply = replies.length > 1 ? replies.shift()! : replies[0]!;
        if (reply instanceof Error) throw reply;
        const { status, body: said } = reply;
        return { status, body: Buffer.from(typeof said === "string" ? said : JSON.stringify(said)) };
      },
    },
    { ...SETTINGS, ...settings },
  );
  const check = async (image = "i", more: Partial<AdmissionRequest> = {}) => {
    const request = podRequest(image, more);
    const error = await Promise.resolve(plugin.validate!(request)).then(
      () => undefined,
      (thrown: StatusError) => thrown.message,
    );
    return { error, request };
  };
  return { plugin, replies, asked, clock, check };
}

function podRequest(image: string, more: Partial<AdmissionRequest>): AdmissionRequest {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", annotations: { "a.image-policy.k8s.io/ticket": "1", other: "2" } },
    spec: {
      containers: [{ name: "c", image }],
      initContainers: [{ name: "i", image: "init" }],
      ephemeralContainers: [{ name: "e", image: "debug" }],
    },
  };
  return {
    operation: "CREATE",
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    subresource: "",
    namespace: "ns",
    name: "p",
    object: object as never,
    oldObject: undefined,
    options: {},
    dryRun: false,
    user: { name: "u", groups: [] },
    warnings: [],
    auditAnnotations: new Map(),
    ...more,
  };
}

const verdict = (allowed: boolean, more: object = {}): Reply => ({
  status: 200,
  body: { kind: "ImageReview", status: { allowed, ...more } },
});

describe("the image policy webhook", () => {
  it("is asked about images, the annotations that concern it and the namespace", async () => {
    const { replies, asked, check } = start();
    replies.push(verdict(true, { auditAnnotations: { by: "me" } }));
    const { request } = await check();
    expect(asked[0]).toMatchObject({
      kind: "ImageReview",
      apiVersion: "imagepolicy.k8s.io/v1alpha1",
      spec: {
        containers: [{ image: "i" }, { image: "init" }],
        annotations: { "a.image-policy.k8s.io/ticket": "1" },
        namespace: "ns",
      },
    });
    expect([...request.auditAnnotations]).toEqual([["imagepolicywebhook.image-policy.k8s.io/by", "me"]]);
    await check("i", { subresource: "ephemeralcontainers" });
    expect(asked[1]).toMatchObject({ spec: { containers: [{ image: "debug" }] } });
  });

  it("concerns pods and their ephemeral containers only", () => {
    const { plugin } = start();
    expect(plugin.handles(podRequest("i", {}))).toBe(true);
    expect(plugin.handles(podRequest("i", { subresource: "ephemeralcontainers" }))).toBe(true);
    expect(plugin.handles(podRequest("i", { subresource: "status" }))).toBe(false);
    expect(plugin.handles(podRequest("i", { operation: "DELETE" }))).toBe(false);
  });

  it.each([
    ["", 'pods "p" is forbidden: one or more images rejected by webhook backend'],
    ["old", 'pods "p" is forbidden: image policy webhook backend denied one or more images: old'],
  ])("that says no with %j refuses the pod", async (reason, words) => {
    const { replies, check } = start();
    replies.push(verdict(false, { reason }));
    expect((await check()).error).toBe(words);
  });

  it("is not asked again while its answer is good", async () => {
    const { replies, asked, clock, check } = start();
    replies.push(verdict(true));
    await check();
    await clock.advance(999);
    await check();
    expect(asked).toHaveLength(1);
    await check("other");
    await clock.advance(1);
    await check();
    expect(asked).toHaveLength(3);
  });

  it.each<[string, Reply, number, RegExp]>([
    ["does not answer", new Error("no way"), 5, /forbidden: no way/],
    ["is ill", { status: 503, body: "" }, 5, /unable to handle the request/],
    ["does not know us", { status: 401, body: "" }, 1, /provide credentials/],
    ["talks nonsense", { status: 200, body: "<html>" }, 1, /not JSON/],
    ["says nothing", { status: 200, body: {} }, 1, /no status/],
  ])("that %s is asked a few times at most, then the default counts", async (_what, reply, times, words) => {
    const strict = start();
    strict.replies.push(reply);
    expect((await strict.check()).error).toMatch(words);
    expect(strict.asked).toHaveLength(times);
    expect(strict.clock.sleptMs).toHaveLength(times - 1);
    const lenient = start({ defaultAllow: true });
    lenient.replies.push(reply);
    const { error, request } = await lenient.check();
    expect(error).toBeUndefined();
    expect(request.auditAnnotations.get("imagepolicywebhook.image-policy.k8s.io/failed-open")).toBe("true");
    expect(request.object!.metadata.annotations).toMatchObject({ "alpha.image-policy.k8s.io/failed-open": "true" });
  });
});

describe("its settings", () => {
  const read = (imagePolicy: object) => readImagePolicySettings({ imagePolicy: imagePolicy as never });

  it("have defaults, units and a way to switch things off", () => {
    expect(read({ kubeConfigFile: "f" })).toEqual({
      kubeConfigFile: "f",
      defaultAllow: false,
      retryBackoffMs: 500,
      allowTtlMs: 300_000,
      denyTtlMs: 30_000,
    });
    expect(read({ kubeConfigFile: "f", allowTTL: 2, denyTTL: -1, retryBackoff: 7, defaultAllow: true })).toEqual({
      kubeConfigFile: "f",
      defaultAllow: true,
      retryBackoffMs: 7,
      allowTtlMs: 2000,
      denyTtlMs: 0,
    });
  });

  it.each<[object, RegExp]>([
    [{}, /kubeConfigFile: must name a file/],
    [{ kubeConfigFile: "f", allowTTL: 1801 }, /allowTTL: valid value is between 1 and 1800, got 1801/],
    [{ kubeConfigFile: "f", denyTTL: 1.5 }, /denyTTL: must be a whole number/],
    [{ kubeConfigFile: "f", defaultAllow: "yes" }, /defaultAllow/],
  ])("%j are refused at the start", (imagePolicy, words) => {
    expect(() => read(imagePolicy)).toThrow(words);
    expect(() => readImagePolicySettings(undefined)).toThrow(/needs settings/);
  });
});
