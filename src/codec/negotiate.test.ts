import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import { StatusError } from "../meta/status-error.ts";
import {
  contentTypeOf,
  type Endpoint,
  negotiateError,
  negotiateInput,
  negotiateOutput,
  negotiatePatch,
  negotiateWatch,
  wordsOf,
} from "./negotiate.ts";

const names = namesFor("kubernetes");
const platform = namesFor("platform");
const resource: Endpoint = { type: "resource" };
const collection: Endpoint = { type: "collection" };
const custom: Endpoint = { type: "custom" };
const META = "g=meta.k8s.io;v=v1";
const PB = "application/vnd.kubernetes.protobuf";

function failure(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error("did not fail");
}

describe("negotiating an answer", () => {
  it.each<[string | undefined, string, string | undefined]>([
    [undefined, "json", undefined],
    ["", "json", undefined],
    ["*/*", "json", undefined],
    ["application/json;charset=utf-8", "json", undefined],
    ["application/json;;", "json", undefined],
    ["application/yaml", "yaml", undefined],
    [PB, "protobuf", undefined],
    [`${PB}, application/json`, "protobuf", undefined],
    [`${PB};q=0.5, application/json`, "json", undefined],
    ["application/json;q=0.5, text/html", "json", undefined],
    ["text/html;q=0.1,application/yaml;q=0.0", "yaml", undefined],
    ["*/*, application/yaml", "yaml", undefined],
    [`application/json;as=Table;${META}`, "json", "Table"],
    ["application/json;as=Table;g=meta.k8s.io;v=v1beta1", "json", "Table"],
    [`application/json;as=Table;${META},application/json`, "json", "Table"],
    [`${PB};as=Table;${META},application/json`, "json", undefined],
    [`${PB};as=PartialObjectMetadata;${META}`, "protobuf", "PartialObjectMetadata"],
    [`application/json;as=PartialObjectMetadataList;${META}`, "json", "PartialObjectMetadataList"],
    ["application/json;profile=x", "json", undefined],
    ["application/json;stream=watch", "json", undefined],
  ])("answers Accept %s with %s as %s", (accept, mediaType, as) => {
    const output = negotiateOutput({ accept }, names, collection);
    expect([output.mediaType, output.as]).toEqual([mediaType, as]);
  });

  it.each([
    ["application/json;as=Table;g=meta.k8s.io;v=v9"],
    ["application/json;as=Table"],
    [`application/json;as=Bogus;${META}`],
    [`${PB};as=Table;${META}`],
  ])("refuses the representation that %s asks for", (accept) => {
    const error = failure(() => negotiateOutput({ accept }, names, collection));
    expect([error.code, error.reason, error.message]).toEqual([
      406,
      "NotAcceptable",
      `only the following media types are accepted: application/json, application/yaml, ${PB}`,
    ]);
  });

  it.each(["text/html", "application/*", "bogus", "application/cbor"])("refuses the media type %s", (accept) => {
    const error = failure(() => negotiateOutput({ accept }, names, resource));
    expect([error.code, error.message, error.details]).toEqual([
      406,
      `406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ${PB}`,
      {},
    ]);
  });

  it("names the stream types too where a collection is asked", () => {
    expect(failure(() => negotiateOutput({ accept: "text/plain" }, names, collection)).message).toBe(
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, " +
        `${PB}, application/json;stream=watch, ${PB};stream=watch`,
    );
  });

  it("speaks the names of the other dialect", () => {
    const accept = "application/json;as=Table;g=meta.platform.io;v=v1";
    expect(negotiateOutput({ accept }, platform, resource).as).toBe("Table");
    expect(negotiateOutput({ accept: "application/vnd.platform.protobuf" }, platform, resource).mediaType).toBe(
      "protobuf",
    );
    expect(failure(() => negotiateOutput({ accept: "application/vnd.platform.protobuf" }, names, resource)).code).toBe(
      406,
    );
  });

  it("understands upstream's names in every dialect, and answers in them", () => {
    const answered = (accept: string) => {
      const output = negotiateOutput({ accept }, platform, resource);
      return [contentTypeOf(output, platform), output.as, wordsOf(output, platform).dialect];
    };
    expect(answered(PB)).toEqual([PB, undefined, "kubernetes"]);
    expect(answered("application/vnd.platform.protobuf")).toEqual([
      "application/vnd.platform.protobuf",
      undefined,
      "platform",
    ]);
    expect(answered("*/*")).toEqual(["application/json", undefined, "platform"]);
    expect(answered(`application/json;as=Table;${META}`)).toEqual(["application/json", "Table", "kubernetes"]);
    expect(contentTypeOf(negotiateWatch({ accept: PB }, platform, resource), platform)).toBe(`${PB};stream=watch`);
    expect(contentTypeOf(negotiateError({ accept: PB }, platform), platform)).toBe(PB);
    expect(negotiateInput(PB, platform, resource)).toBe("protobuf");
  });

  it("gives custom resources in protobuf only as metadata", () => {
    expect(failure(() => negotiateOutput({ accept: PB }, names, custom)).code).toBe(406);
    expect(negotiateOutput({ accept: `${PB}, application/json` }, names, custom).mediaType).toBe("json");
    expect(negotiateOutput({ accept: `${PB};as=PartialObjectMetadata;${META}` }, names, custom).mediaType).toBe(
      "protobuf",
    );
  });

  it("prefers aggregated discovery wherever it stands", () => {
    const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const endpoint: Endpoint = { type: "discovery" };
    const old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
    expect(negotiateOutput({ accept: `application/json,${aggregated}` }, names, endpoint).as).toBe(
      "APIGroupDiscoveryList",
    );
    expect(negotiateOutput({ accept: `${old},application/json` }, names, endpoint).as).toBeUndefined();
  });

  it.each<[string | undefined, string | undefined, boolean]>([
    ["true", undefined, true],
    ["1", undefined, true],
    ["0", "curl/8", false],
    [undefined, "curl/8", true],
    [undefined, "Mozilla/5.0 (X11)", true],
    [undefined, "kubectl/v1.34", false],
    ["nonsense", "curl/8", false],
  ])("with pretty=%s and User-Agent %s indents: %s", (pretty, userAgent, expected) => {
    expect(negotiateOutput({ pretty, userAgent }, names, resource).pretty).toBe(expected);
  });

  it("indents on the parameter of the media type, and only JSON", () => {
    expect(negotiateOutput({ accept: "application/json;pretty=1" }, names, resource).pretty).toBe(true);
    expect(negotiateOutput({ accept: PB, pretty: "1" }, names, resource).pretty).toBe(false);
  });
});

describe("negotiating CBOR", () => {
  const withCbor = { type: "collection", cbor: true } as const;

  it.each(["application/cbor-seq", `application/cbor;as=Table;${META}`])("refuses %s for one answer", (accept) => {
    expect(failure(() => negotiateOutput({ accept }, names, withCbor)).code).toBe(406);
  });

  it.each([
    ["application/cbor-seq, application/json", "json", undefined],
    [`application/cbor;as=PartialObjectMetadataList;${META}`, "cbor", "PartialObjectMetadataList"],
  ])("answers %s in %s as %s", (accept, mediaType, as) => {
    const output = negotiateOutput({ accept }, names, withCbor);
    expect([output.mediaType, output.as]).toEqual([mediaType, as]);
  });
});

describe("negotiating a watch", () => {
  it("has no YAML form", () => {
    expect(failure(() => negotiateWatch({ accept: "application/yaml" }, names, collection)).message).toBe(
      `only the following media types are accepted: application/json;stream=watch, ${PB};stream=watch`,
    );
  });

  it.each([
    [undefined, "application/json"],
    [PB, `${PB};stream=watch`],
    [`${PB};stream=watch`, `${PB};stream=watch`],
    ["application/cbor", "application/cbor-seq"],
    ["application/cbor-seq", "application/cbor-seq"],
  ])("answers Accept %s as %s", (accept, contentType) => {
    const output = negotiateWatch({ accept }, names, { type: "collection", cbor: true });
    expect(contentTypeOf(output, names)).toBe(contentType);
  });
});

describe("negotiating an error", () => {
  it.each([
    ["application/yaml", "yaml"],
    [PB, "protobuf"],
    [`application/json;as=Table;${META}`, "json"],
    [`${PB};as=PartialObjectMetadata;${META}`, "json"],
    [`${PB};as=PartialObjectMetadata;${META},application/yaml`, "yaml"],
    ["text/html", "json"],
    [undefined, "json"],
  ])("answers Accept %s in %s and never fails", (accept, mediaType) => {
    const output = negotiateError({ accept }, names);
    expect([output.mediaType, output.as]).toEqual([mediaType, undefined]);
  });
});

describe("negotiating a body", () => {
  it.each<[string | undefined, string]>([
    [undefined, "json"],
    ["", "json"],
    ["APPLICATION/JSON", "json"],
    ["application/json; charset=utf-8", "json"],
    ['application/json; charset="utf-8"; x=y', "json"],
    ["application/yaml", "yaml"],
    [PB, "protobuf"],
  ])("reads Content-Type %s as %s", (contentType, expected) => {
    expect(negotiateInput(contentType, names, resource)).toBe(expected);
  });

  it.each(["text/plain", "bogus", "application/", "application/cbor", "application/json;charset", "application/json2"])(
    "refuses Content-Type %s",
    (contentType) => {
      const error = failure(() => negotiateInput(contentType, names, resource));
      expect([error.code, error.reason, error.message]).toEqual([
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: " +
          `application/json, application/yaml, ${PB}`,
      ]);
    },
  );

  it("takes no protobuf for custom resources", () => {
    expect(failure(() => negotiateInput(PB, names, custom)).code).toBe(415);
  });

  it("knows the kinds of patches", () => {
    expect(negotiatePatch("application/merge-patch+json; charset=utf-8", resource)).toBe("merge");
    expect(negotiatePatch("application/strategic-merge-patch+json", resource)).toBe("strategic");
    expect(negotiatePatch("application/apply-patch+yaml", custom)).toBe("applyYaml");
    expect(failure(() => negotiatePatch("application/strategic-merge-patch+json", custom)).code).toBe(415);
    expect(failure(() => negotiatePatch(undefined, resource)).message).toBe("415: Unsupported Media Type");
    expect(failure(() => negotiatePatch("application/apply-patch+cbor", resource)).code).toBe(415);
    expect(negotiatePatch("application/apply-patch+cbor", { type: "resource", cbor: true })).toBe("applyCbor");
  });
});
