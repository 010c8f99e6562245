import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../base/clock.ts";
import type { ApiObject } from "../meta/object.ts";
import { kinds } from "./built-in-kinds.ts";
import { type ClientInProcess, clientInProcess } from "./client.testing.ts";
import { Client } from "./client.ts";
import { defineKind } from "./custom-kind.ts";
import { converting, mutating, serveWebhooks, validating, type WebhookServer } from "./webhook-server.ts";
import { jsonDifference } from "./webhooks/json-difference.ts";

const website = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Website",
  schema: {
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        properties: { html: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
      },
    },
  },
});

describe("webhooks of an operator", () => {
  let run: ClientInProcess;
  let server: WebhookServer | undefined;
  beforeEach(async () => {
    run = await clientInProcess();
    await run.client.install(website);
  });
  afterEach(async () => {
    await server?.close();
    await run.close();
  });

  it.each(["::1", "::", "0.0.0.0"])("are called at home where they listen at %s", async (bindAddress) => {
    const review = vi.fn(() => undefined);
    server = await serveWebhooks({
      client: run.client,
      name: "website",
      bindAddress,
      webhooks: [validating({ name: "check.website.example.com", for: website, review })],
    });
    const sites = run.client.resource(website, "default");
    await vi.waitFor(async () => {
      await sites.create({ metadata: { name: "a" }, spec: { html: "" } }, { dryRun: true });
      expect(review).toHaveBeenCalled();
    });
  });

  it("change and refuse objects, and warn", async () => {
    server = await serveWebhooks({
      client: run.client,
      name: "website",
      webhooks: [
        mutating({
          name: "defaults.website.example.com",
          for: website,
          review(site, request) {
            site.spec.tags = [...(site.spec.tags ?? []), request.operation.toLowerCase()];
            request.warn("a tag was added");
            return undefined;
          },
        }),
        validating({
          name: "check.website.example.com",
          for: website,
          operations: ["CREATE", "UPDATE", "DELETE"],
          review(site, { operation, oldObject }) {
            if (operation === "DELETE") return oldObject?.spec.html === "keep" ? { deny: "this one stays" } : undefined;
            return site.spec.html === "" ? { deny: "a website needs a page", code: 422 } : undefined;
          },
        }),
      ],
    });
    const sites = run.client.resource(website, "default");
    const warnings: string[] = [];
    const site = { metadata: { name: "a" }, spec: { html: "keep" } };
    // Configurations count a moment after they were written.
    await vi.waitFor(async () => {
      const made = await sites.create(site, { dryRun: true, onWarning: (warning) => warnings.push(warning) });
      expect(made.spec.tags).toEqual(["create"]);
    });
    expect(warnings).toContain("a tag was added");
    await sites.create(site);
    await expect(sites.create({ metadata: { name: "b" }, spec: { html: "" } })).rejects.toMatchObject({ code: 422 });
    await expect(sites.delete("a")).rejects.toThrow("this one stays");
  });

  it("are asked about the requests that their declaration selects, endpoints below the objects included", async () => {
    const asked: string[] = [];
    server = await serveWebhooks({
      client: run.client,
      name: "autoscaling",
      webhooks: [
        validating({
          name: "check.deployments.example.com",
          for: kinds.apps.v1.deployments,
          operations: ["UPDATE"],
          subresources: ["scale"],
          namespaceSelector: {
            matchExpressions: [{ key: "platform.io/metadata.name", operator: "NotIn", values: ["left-out"] }],
          },
          matchConditions: [{ name: "others", expression: "request.name != 'ours'" }],
          review: (_, { name, namespace, subresource }) => void asked.push(`${namespace}/${name} ${subresource}`),
        }),
      ],
    });
    await run.client.core.v1.namespaces().create({ metadata: { name: "left-out" } });
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    for (const [namespace, name] of [
      ["left-out", "web"],
      ["default", "ours"],
      ["default", "web"],
    ] as const) {
      const deployments = run.client.apps.v1.deployments(namespace);
      await deployments.create({ metadata: { name }, spec: { selector: { matchLabels: { a: "b" } }, template } });
      await deployments.scale.patch(name, { merge: { spec: { replicas: 2 } } });
      await deployments.patch(name, { merge: { spec: { paused: true } } });
    }
    expect(asked).toEqual(["default/web scale", "default/web "]);
  });

  it("say so where they return an object instead of changing it", async () => {
    const errors: unknown[] = [];
    server = await serveWebhooks({
      client: run.client,
      name: "website",
      webhooks: [
        mutating({ name: "copies.website.example.com", for: website, review: (site) => ({ ...site }) as never }),
      ],
      onError: (error) => errors.push(error),
    });
    const sites = run.client.resource(website, "default");
    await expect(sites.create({ metadata: { name: "a" }, spec: {} })).rejects.toThrow("the webhook failed");
    expect(errors.map(String)).toEqual([
      "TypeError: copies.website.example.com: review() returns { deny } or nothing, and changes the object it is given",
    ]);
  });

  it("change objects with numbers that JavaScript's own cannot hold", async () => {
    const counter = defineKind({
      group: "example.com",
      version: "v1",
      kind: "Counter",
      schema: { properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } },
    });
    await run.client.install(counter);
    server = await serveWebhooks({
      client: run.client,
      name: "counter",
      webhooks: [
        mutating({
          name: "counts.example.com",
          for: counter,
          review(object) {
            (object.spec as { seen: unknown[] }).seen.push(2n ** 60n);
            return undefined;
          },
        }),
      ],
    });
    const counters = run.client.resource(counter, "default");
    const draft = { metadata: { name: "a" }, spec: { seen: [2n ** 62n] } } as never;
    await vi.waitFor(async () => {
      const made = await counters.create(draft, { dryRun: true });
      expect(made.spec).toEqual({ seen: [2n ** 62n, 2n ** 60n] });
    });
  });

  it("convert objects between versions", async () => {
    const { client } = run;
    const definitions = client.apiextensions.v1.customResourceDefinitions();
    const open = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const;
    await definitions.modify("websites.example.com", (definition) => {
      const [first] = definition.spec.versions!;
      definition.spec.versions = [
        { ...first!, schema: open as never },
        { ...first!, name: "v2", storage: false, schema: open as never },
      ];
    });
    server = await serveWebhooks({
      client,
      name: "website",
      webhooks: [
        converting({
          for: website,
          convert(object: ApiObject, version) {
            const { html, page } = object["spec"] as { html?: string; page?: string };
            return { ...object, spec: version === "v2" ? { page: html } : { html: page } };
          },
        }),
      ],
    });
    await client.resource(website, "default").create({ metadata: { name: "a" }, spec: { html: "hello" } });
    const second = client.named({ group: "example.com", version: "v2", resource: "websites" }, "default");
    await vi.waitFor(async () => expect((await second.get("a"))["spec"]).toEqual({ page: "hello" }), {
      timeout: 5_000,
    });
    await second.create({
      apiVersion: "example.com/v2",
      kind: "Website",
      metadata: { name: "b" },
      spec: { page: "two" },
    });
    expect((await client.resource(website, "default").get("b")).spec).toEqual({ html: "two" });
  });

  it("are served with a certificate that is renewed before its end, trusted all the time", async () => {
    const clock = new FakeClock(Date.now());
    const client = new Client({ transport: run.client.transport, clock });
    const lifeMs = 30 * 86_400_000;
    const webhooks = [validating({ name: "check.website.example.com", for: website, review: () => undefined })];
    const tlsSecret = { namespace: "default", name: "website-tls" };
    server = await serveWebhooks({ client, name: "website", webhooks, certificateLifeMs: lifeMs, tlsSecret });
    const bundle = async () => {
      const { webhooks: held } = await client.admissionregistration.v1.validatingWebhookConfigurations().get("website");
      return Buffer.from(held![0]!.clientConfig.caBundle!, "base64").toString();
    };
    const first = { shown: await shownBy(server.port), bundle: await bundle() };
    const stored = await run.client.core.v1.secrets("default").get("website-tls");
    expect(Buffer.from(stored.data!["tls.crt"]!, "base64").toString()).toContain("BEGIN CERTIFICATE");

    await clock.advance(lifeMs / 2);
    expect(await shownBy(server.port)).toBe(first.shown);
    await clock.advance(lifeMs / 4);
    await vi.waitFor(async () => expect(await shownBy(server!.port)).not.toBe(first.shown), { timeout: 5_000 });
    // The old authority is trusted still, beside the new one.
    expect((await bundle()).endsWith(`${first.bundle.trim()}\n`)).toBe(true);
    expect((await bundle()).match(/BEGIN/g)).toHaveLength(2);

    // Another replica finds the same certificate.
    const replica = await serveWebhooks({ client, name: "website", webhooks, certificateLifeMs: lifeMs, tlsSecret });
    expect(await shownBy(replica.port)).toBe(await shownBy(server.port));
    await replica.close();
  });
});

describe("the difference of two values", () => {
  it.each([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ op: "replace", path: "/a", value: 2 }]],
    [{ a: { b: 1 } }, { a: {} }, [{ op: "remove", path: "/a/b" }]],
    [{}, { "a/b~c": [1] }, [{ op: "add", path: "/a~1b~0c", value: [1] }]],
    [{ a: [1] }, { a: [1, 2] }, [{ op: "replace", path: "/a", value: [1, 2] }]],
    [{ a: null }, { a: {} }, [{ op: "replace", path: "/a", value: {} }]],
  ])("of %j and %j is a patch", (before, after, patch) => {
    expect(jsonDifference(before, after)).toEqual(patch);
  });
});

/** The serial number of the certificate that a server shows. */
function shownBy(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}
