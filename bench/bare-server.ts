// The baseline of the API benchmarks, in a process of its own: a bare TLS server that sends the bytes it is told to, and
// stores what it is sent. What it costs is what Node, TLS and the store cost whoever writes the server above them.
// Arguments: the certificate, the key, the store. Paths: GET /N answers N bytes; POST parses and keeps the body, durably.
// Prints its port.

import { readFileSync } from "node:fs";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { open } from "lmdb";

const [certificate = "", key = "", path = ""] = process.argv.slice(2);
const bodies = new Map<number, Buffer>();
const store = open<Buffer, string>({ path, encoding: "binary", overlappingSync: false });
let stored = 0;

function answer(req: Http2ServerRequest, res: Http2ServerResponse): void {
  if (req.method === "POST") keep(req, res);
  else send(req, res);
}

function keep(req: Http2ServerRequest, res: Http2ServerResponse): void {
  const pieces: Buffer[] = [];
  req.on("data", (piece: Buffer) => pieces.push(piece));
  req.on("end", async () => {
    const body = Buffer.from(JSON.stringify(JSON.parse(Buffer.concat(pieces).toString())));
    stored += 1;
    await store.put(`/stored/${stored}`, body);
    res.writeHead(201, { "content-type": "application/json", "content-length": body.length });
    res.end(body);
  });
}

function send(req: Http2ServerRequest, res: Http2ServerResponse): void {
  const size = Number(req.url.slice(1));
  let body = bodies.get(size);
  if (body === undefined) {
    body = Buffer.alloc(size, "x");
    bodies.set(size, body);
  }
  req.resume();
  res.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  res.end(body);
}

const server = createSecureServer(
  { cert: readFileSync(certificate), key: readFileSync(key), allowHTTP1: true },
  answer,
);
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
