// Links of a page of HTML, rewritten while it passes: a page that thinks it stands at the root of its server stays usable
// below the path of a proxy. Only values of attributes that hold links change; everything else passes byte by byte.

/** Elements whose attributes hold links. */
const LINKS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    a: ["href"],
    applet: ["codebase"],
    area: ["href"],
    audio: ["src"],
    base: ["href"],
    blockquote: ["cite"],
    body: ["background"],
    button: ["formaction"],
    command: ["icon"],
    del: ["cite"],
    embed: ["src"],
    form: ["action"],
    frame: ["longdesc", "src"],
    head: ["profile"],
    html: ["manifest"],
    iframe: ["longdesc", "src"],
    img: ["longdesc", "src", "usemap"],
    input: ["src", "usemap", "formaction"],
    ins: ["cite"],
    link: ["href"],
    object: ["classid", "codebase", "data", "usemap"],
    q: ["cite"],
    script: ["src"],
    source: ["src"],
    video: ["poster", "src"],
  }).map(([element, attributes]) => [element, new Set(attributes)]),
);

/** What looks like a tag inside of these is text. */
const TEXT_ONLY = new Set(["iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"]);

/** A longer tag passes as it is: nobody writes one, and the memory is ours. */
const MAX_TAG_LENGTH = 8 * 1024;

export class HtmlLinks {
  readonly #rewrite: (link: string) => string;
  /** Not yet passed on: the beginning of a tag, or of the end that is looked for. */
  #rest = "";
  /** Where a comment, a declaration or an element that holds only text ends; undefined between tags. */
  #until: string | undefined;

  /** One character is one byte, so that any encoding passes unharmed. */
  constructor(rewrite: (link: string) => string) {
    this.#rewrite = rewrite;
  }

  /** The next piece, as far as it can be passed on. */
  push(piece: string): string {
    const text = this.#rest + piece;
    let out = "";
    let at = 0;
    while (at < text.length) {
      if (this.#until !== undefined) {
        const end = indexOfLower(text, this.#until, at);
        if (end < 0) {
          const kept = Math.max(at, text.length - this.#until.length + 1);
          this.#rest = text.slice(kept);
          return out + text.slice(at, kept);
        }
        out += text.slice(at, end);
        at = end;
        this.#until = undefined;
        continue;
      }
      const open = text.indexOf("<", at);
      if (open < 0) break;
      out += text.slice(at, open);
      at = open;
      const end = endOfTag(text, open);
      if (end < 0 && text.length - open < MAX_TAG_LENGTH) {
        this.#rest = text.slice(open);
        return out;
      }
      const tag = text.slice(open, end < 0 ? open + MAX_TAG_LENGTH : end);
      // All of what was gone through in vain: what begins inside of it would be gone through as often as there are signs.
      out += end < 0 ? tag : this.#passTag(tag);
      at += tag.length;
    }
    this.#rest = "";
    return out + text.slice(at);
  }

  /** What was held back: the page ended in the middle of something. */
  end(): string {
    const rest = this.#rest;
    this.#rest = "";
    return rest;
  }

  #passTag(tag: string): string {
    if (tag.startsWith("<!--")) this.#until = "-->";
    const name = /^<([a-z][a-z0-9]*)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) return tag;
    if (TEXT_ONLY.has(name) && !tag.endsWith("/>")) this.#until = `</${name}`;
    const attributes = LINKS.get(name);
    return attributes === undefined ? tag : this.#rewriteTag(tag, name.length + 1, attributes);
  }

  #rewriteTag(tag: string, start: number, attributes: ReadonlySet<string>): string {
    let out = "";
    let passed = 0;
    for (const { name, from, to } of attributesOf(tag, start)) {
      if (!attributes.has(name)) continue;
      out += tag.slice(passed, from) + this.#rewrite(tag.slice(from, to));
      passed = to;
    }
    return out + tag.slice(passed);
  }
}

/** Behind the tag that begins here, one character behind a lone `<`; -1 when its end has not come. */
function endOfTag(text: string, open: number): number {
  // A comment is a tag of four characters here: what it holds may look like quotes.
  const head = text.slice(open, open + 4);
  if (head === "<!--") return open + 4;
  if ("<!--".startsWith(head)) return -1;
  if (!/^<[a-z/!?]/i.test(head)) return open + 1;
  const quotes = /^<[a-z]/i.test(head);
  for (let at = open + 1; at < text.length && at - open < MAX_TAG_LENGTH; at += 1) {
    const character = text[at]!;
    if (character === ">") return at + 1;
    // A quote counts where a value begins.
    if (quotes && (character === '"' || character === "'") && beginsValue(text, open, at)) {
      const close = text.indexOf(character, at + 1);
      if (close < 0) return -1;
      at = close;
    }
  }
  return -1;
}

function beginsValue(text: string, open: number, quote: number): boolean {
  let at = quote - 1;
  while (at > open && isSpace(text[at]!)) at -= 1;
  return text[at] === "=";
}

/** The attributes of a whole tag and where their values stand, without quotes. */
function* attributesOf(tag: string, start: number): Generator<{ name: string; from: number; to: number }> {
  const last = tag.length - 1;
  let at = start;
  while (at < last) {
    while (at < last && (isSpace(tag[at]!) || tag[at] === "/")) at += 1;
    const nameAt = at;
    // An equals sign where a name begins belongs to the name.
    do at += 1;
    while (at < last && !isSpace(tag[at]!) && tag[at] !== "=" && tag[at] !== "/");
    const name = tag.slice(nameAt, at).toLowerCase();
    while (at < last && isSpace(tag[at]!)) at += 1;
    if (at >= last || tag[at] !== "=") continue;
    at += 1;
    while (at < last && isSpace(tag[at]!)) at += 1;
    const quote = tag[at] === '"' || tag[at] === "'" ? tag[at]! : undefined;
    const from = quote === undefined ? at : at + 1;
    at = from;
    while (at < last && (quote === undefined ? !isSpace(tag[at]!) : tag[at] !== quote)) at += 1;
    yield { name, from, to: at };
    if (quote !== undefined) at += 1;
  }
}

const isSpace = (character: string): boolean => /[\t\n\f\r ]/.test(character);

/** Where a word in lower case stands, in whatever case it is written. */
function indexOfLower(text: string, word: string, from: number): number {
  for (let at = text.indexOf(word[0]!, from); at >= 0; at = text.indexOf(word[0]!, at + 1)) {
    if (text.slice(at, at + word.length).toLowerCase() === word) return at;
  }
  return -1;
}
