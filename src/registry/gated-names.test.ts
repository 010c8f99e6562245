// Names that more may have while a gate is on.

import { afterEach, describe, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";

const PATH = "/api/v1/namespaces/default/services";

describe("the name of a Service", () => {
  let server: ServerInProcess;
  afterEach(() => server.close());

  const create = async (name: string) => {
    const body = { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }] } };
    return (await server.call("POST", PATH, body)).status;
  };

  it.each([
    [false, [201, 422, 422]],
    [true, [201, 201, 422]],
  ])("may begin with a digit only with RelaxedServiceNameValidation (%s)", async (relaxed, expected) => {
    server = await serverInProcess({ flags: [`--feature-gates=RelaxedServiceNameValidation=${relaxed}`] });
    expect([await create("web"), await create("1web"), await create("1.web")]).toEqual(expected);
  });
});
