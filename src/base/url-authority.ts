// What is wrong with the part of a URL that names user, host and port, in the words of Go's parser.

/** Undefined when there is nothing wrong. */
export function authorityProblem(authority: string): string | undefined {
  const at = authority.lastIndexOf("@");
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) return "net/url: invalid userinfo";
  const host = authority.slice(at + 1);
  if (host.startsWith("[") && !host.includes("]")) return "missing ']' in host";
  const port = host.startsWith("[") ? host.slice(host.lastIndexOf("]") + 1) : (/:[^:]*$/.exec(host)?.[0] ?? "");
  if (!/^(?::[0-9]*)?$/.test(port)) return `invalid port "${port}" after host`;
  const broken = brokenEscape(host);
  if (broken !== undefined) return `invalid URL escape "${broken}"`;
  const odd = /[\x00-\x20#/?@\\^`{|}\x7f]/.exec(host);
  return odd === null ? undefined : `invalid character ${JSON.stringify(odd[0])} in host name`;
}

/** A percent sign without two hexadecimal digits, and what follows it. */
export function brokenEscape(text: string): string | undefined {
  const found = /%(?![0-9A-Fa-f]{2})/.exec(text);
  return found === null ? undefined : text.slice(found.index, found.index + 3);
}
