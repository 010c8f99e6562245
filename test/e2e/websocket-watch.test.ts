// A watch over a WebSocket: one event per message.

import { afterAll, beforeAll, expect, it } from "vitest";
import WebSocket from "ws";
import { ADMIN_TOKEN, startTestServer, type TestServer } from "./running-server.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

function open(path: string, token: string): WebSocket {
  return new WebSocket(server.url.replace("https:", "wss:") + path, {
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${token}` },
  });
}

it("sends every change as a message of its own", async () => {
  const socket = open(`${CONFIG_MAPS}?watch=1`, ADMIN_TOKEN);
  const messages: { type: string; object: { metadata: { name: string } } }[] = [];
  socket.on("message", (data) => messages.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  for (const name of ["a", "b"]) {
    const answer = await fetchJson("POST", CONFIG_MAPS, { metadata: { name } });
    expect(answer).toBe(201);
  }
  await expect
    .poll(() => messages.map(({ type, object }) => `${type} ${object.metadata.name}`))
    .toEqual(["ADDED a", "ADDED b"]);
  socket.close();
});

it("sends events of protobuf without their length, and closes in order when its time is over", async () => {
  await fetchJson("POST", CONFIG_MAPS, { metadata: { name: "proto" } });
  const socket = new WebSocket(`${server.url.replace("https:", "wss:")}${CONFIG_MAPS}?watch=1&timeoutSeconds=1`, {
    rejectUnauthorized: false,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      accept: "application/vnd.kubernetes.protobuf;stream=watch",
    },
  });
  const messages: { readonly data: Buffer; readonly isBinary: boolean }[] = [];
  socket.on("message", (data, isBinary) => messages.push({ data: data as Buffer, isBinary }));
  const code = await new Promise((resolve, reject) => socket.once("close", resolve).once("error", reject));
  expect(code).toBe(1000);
  const [first] = messages;
  // A WatchEvent begins with its type: field 1, five letters.
  expect(first?.data.subarray(0, 7)).toEqual(Buffer.from("\n\x05ADDED"));
  expect(first?.isBinary).toBe(true);
});

it("refuses the upgrade of a caller it does not know", async () => {
  const socket = open(`${CONFIG_MAPS}?watch=1`, "wrong");
  const error = await new Promise<Error>((resolve) => socket.once("error", resolve));
  expect(error.message).toContain("401");
});

async function fetchJson(method: string, path: string, body: object): Promise<number> {
  const { request } = await import("node:https");
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    const call = request(server.url + path, { method, headers, rejectUnauthorized: false }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
    });
    call.once("error", reject).end(JSON.stringify(body));
  });
}
