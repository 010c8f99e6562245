// Can a server behind be reached? Its service, and an answer to its discovery. Written into the APIService's status.

import { request as send } from "node:https";
import { isObject, type JsonObject } from "../../../base/json.ts";
import { decodeJson } from "../../../codec/json.ts";
import type { Service } from "../../../kinds/core/service.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { Backends } from "./backend.ts";
import type { RemoteApi } from "./remote-api.ts";

const CHECK_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;

export interface Availability {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  /** The discovery document of the group and version, when it could be read. */
  readonly resources?: readonly JsonObject[];
}

export async function checkAvailability(catalog: Catalog, backends: Backends, api: RemoteApi): Promise<Availability> {
  const { namespace, name, port } = api.service;
  const failed = (reason: string, message: string): Availability => ({ status: "False", reason, message });
  const store = catalog.find("", "v1", "services")?.store;
  const entry = await store?.get(store.keyOf(namespace, name));
  if (store === undefined || entry === undefined)
    return failed("ServiceNotFound", `service/${name} in ${JSON.stringify(namespace)} is not present`);
  const { spec } = store.decode(entry) as unknown as Service;
  if (spec.type !== "ExternalName" && !(spec.ports ?? []).some((one) => one.port === port)) {
    return failed(
      "ServicePortError",
      `service/${name} in ${JSON.stringify(namespace)} is not listening on port ${port}`,
    );
  }
  const url = `https://${name}.${namespace}.svc:${port}/apis/${api.group}/${api.version}`;
  try {
    const { status, body } = await discover(backends, api);
    if (status < 200 || status > 299)
      return failed(
        "FailedDiscoveryCheck",
        `failing or missing response from ${url}: bad status from ${url}: ${status}`,
      );
    return { status: "True", reason: "Passed", message: "all checks passed", resources: resourcesOf(body) };
  } catch (error) {
    return failed("FailedDiscoveryCheck", `failing or missing response from ${url}: ${(error as Error).message}`);
  }
}

async function discover(backends: Backends, api: RemoteApi): Promise<{ status: number; body: Buffer }> {
  const target = await backends.connect(api);
  const deadline = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    const sent = send(
      {
        ...target,
        method: "GET",
        path: `/apis/${api.group}/${api.version}`,
        signal: deadline,
        headers: {
          accept: "application/json",
          "x-remote-user": "system:kube-aggregator",
          "x-remote-group": "system:masters",
        },
      },
      (answer) => {
        const pieces: Buffer[] = [];
        let size = 0;
        answer.on("data", (piece: Buffer) => {
          size += piece.length;
          pieces.push(piece);
          if (size > MAX_ANSWER_BYTES) answer.destroy(new Error("the answer is too large"));
        });
        answer.on("error", reject);
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces) }));
      },
    );
    sent.on("error", (error) => reject(deadline.aborted ? new Error("context deadline exceeded") : error));
    sent.end();
  });
}

function resourcesOf(body: Uint8Array): JsonObject[] {
  try {
    const { value } = decodeJson(body);
    const resources = isObject(value) ? value["resources"] : undefined;
    return Array.isArray(resources) ? resources.filter(isObject) : [];
  } catch {
    return [];
  }
}
