// The baseline of the API benchmarks, in a process of its own: a bare TLS server that sends the bytes it is told to.
// Arguments: the certificate, the key. Paths: /N answers N bytes. Prints its port.

import { readFileSync } from "node:fs";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";

const [certificate = "", key = ""] = process.argv.slice(2);
const bodies = new Map<number, Buffer>();

function answer(req: Http2ServerRequest, res: Http2ServerResponse): void {
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
