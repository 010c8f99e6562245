// Why a text is no JSON, in the words of upstream's parser: for documents that stand inside fields of objects.

/** Deeper documents are refused; nothing good is that deep. */
const MAX_DEPTH = 10_000;

/** Undefined when the text is one JSON document. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return firstProblem(text);
  }
}

const SPACE = /[ \t\r\n]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

function firstProblem(text: string): string {
  const open: ("{" | "[")[] = [];
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at += found[0].length;
    return found !== null;
  };
  const peek = (): string => {
    take(SPACE);
    return text.charAt(at);
  };
  const key = (): string | undefined => {
    if (peek() !== '"') return unexpected(text, at, "looking for beginning of object key string");
    if (!take(STRING)) return brokenString(text, at);
    if (peek() !== ":") return unexpected(text, at, "after object key");
    at++;
    return undefined;
  };

  for (;;) {
    const start = peek();
    if (start === "{" || start === "[") {
      at++;
      if (open.push(start) > MAX_DEPTH) return "exceeded max depth";
      if (peek() !== (start === "{" ? "}" : "]")) {
        const problem = start === "{" ? key() : undefined;
        if (problem !== undefined) return problem;
        continue;
      }
      at++;
      open.pop();
    } else if (start === '"') {
      if (!take(STRING)) return brokenString(text, at);
    } else if (!take(LITERAL)) return unexpected(text, at, "looking for beginning of value");

    for (;;) {
      const end = peek();
      const inside = open.at(-1);
      if (inside === undefined) return unexpected(text, at, "after top-level value");
      if (end === ",") break;
      if (end !== (inside === "{" ? "}" : "]")) {
        return unexpected(text, at, inside === "{" ? "after object key:value pair" : "after array element");
      }
      at++;
      open.pop();
    }
    at++;
    const problem = open.at(-1) === "{" ? key() : undefined;
    if (problem !== undefined) return problem;
  }
}

function brokenString(text: string, start: number): string {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20) return unexpected(text, at, "in string literal");
    if (code !== 0x5c) continue;
    at++;
    if (at < text.length && !'"\\/bfnrtu'.includes(text.charAt(at))) {
      return unexpected(text, at, "in string escape code");
    }
  }
  return "unexpected end of JSON input";
}

function unexpected(text: string, at: number, where: string): string {
  if (at >= text.length) return "unexpected end of JSON input";
  const character = text.charAt(at);
  const shown = character === "'" ? "\\'" : JSON.stringify(character).slice(1, -1).replace('\\"', '"');
  return `invalid character '${shown}' ${where}`;
}
