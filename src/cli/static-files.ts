// Files of a folder for who asks a local server: nothing outside of it, whatever a path or a link says.

import { createReadStream, realpathSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { pipeline } from "node:stream";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** `path`: as it was asked for, below the folder. False when there is no such file. */
export function serveFile(folder: string, path: string, method: string, response: ServerResponse): boolean {
  const file = fileBelow(folder, path);
  if (file === undefined) return false;
  response.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "content-length": statSync(file).size,
    "x-content-type-options": "nosniff",
  });
  if (method === "HEAD") response.end();
  else pipeline(createReadStream(file), response, () => undefined);
  return true;
}

/** Of a folder, its `index.html`. */
function fileBelow(folder: string, path: string): string | undefined {
  try {
    const root = realpathSync(folder);
    const found = realpathSync(join(root, decodeURIComponent(path)));
    const file = statSync(found).isDirectory() ? realpathSync(join(found, "index.html")) : found;
    return file.startsWith(root + sep) && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
