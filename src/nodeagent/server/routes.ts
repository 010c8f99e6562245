// Paths of the agent and what serves them. A pattern names its parts in braces; a path that no pattern fits is 404, a
// method that none of the fitting ones takes is 405.

import type { ReceivedRequest, Response } from "../../http/message.ts";
import { textAnswer } from "./answers.ts";

export type PathParts = Readonly<Record<string, string>>;
export type Endpoint = (request: ReceivedRequest, parts: PathParts) => Response | Promise<Response>;

export interface Route {
  readonly methods: readonly string[];
  /** "/exec/{namespace}/{pod}/{container}"; a slash at the end of a path does not count. "{name...}" is all that follows. */
  readonly pattern: string;
  readonly serve: Endpoint;
}

export function routeTable(routes: readonly Route[]): (request: ReceivedRequest) => Response | Promise<Response> {
  const compiled = routes.map((route) => ({ ...route, segments: segmentsOf(route.pattern) }));
  return (request) => {
    const segments = decodeSegments(request.path);
    if (segments === undefined) return textAnswer(400, "the path is not encoded correctly\n");
    let fits = false;
    for (const route of compiled) {
      const parts = match(route.segments, segments);
      if (parts === undefined) continue;
      fits = true;
      if (route.methods.includes(request.method)) return route.serve(request, parts);
    }
    return fits ? textAnswer(405, "405: Method Not Allowed\n") : textAnswer(404, "404 page not found\n");
  };
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment, index, all) => segment !== "" || (index > 0 && index < all.length - 1));
}

function decodeSegments(path: string): string[] | undefined {
  try {
    return segmentsOf(path).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function match(pattern: readonly string[], segments: readonly string[]): PathParts | undefined {
  const rest = /^\{(\w+)\.\.\.\}$/.exec(pattern.at(-1) ?? "")?.[1];
  if (rest !== undefined) {
    const before = match(pattern.slice(0, -1), segments.slice(0, pattern.length - 1));
    return before === undefined ? undefined : { ...before, [rest]: segments.slice(pattern.length - 1).join("/") };
  }
  if (pattern.length !== segments.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, wanted] of pattern.entries()) {
    const segment = segments[index]!;
    if (!wanted.startsWith("{")) {
      if (wanted !== segment) return undefined;
    } else {
      if (segment === "") return undefined;
      parts[wanted.slice(1, -1)] = segment;
    }
  }
  return parts;
}
