import { describe, expect, it } from "vitest";
import { HtmlLinks } from "./html-links.ts";

const rewrite = (link: string) => (link.startsWith("/") ? `/m${link}` : link);

function passed(pieces: readonly string[]): string {
  const links = new HtmlLinks(rewrite);
  return pieces.map((piece) => links.push(piece)).join("") + links.end();
}

const PAGES: readonly (readonly [what: string, page: string, rewritten: string])[] = [
  ["a link", '<a href="/x">test</a>', '<a href="/m/x">test</a>'],
  ["single quotes", "<a href='/x'>", "<a href='/m/x'>"],
  ["no quotes", "<a href=/x>", "<a href=/m/x>"],
  ["spaces around the value", '<A\n HREF = "/x" >', '<A\n HREF = "/m/x" >'],
  ["several attributes", '<img alt="/a" src="/x" longdesc=/y>', '<img alt="/a" src="/m/x" longdesc=/m/y>'],
  ["a tag that closes itself", '<link href="/x"/>', '<link href="/m/x"/>'],
  ["a value without end", '<a href="/x', '<a href="/x'],
  ["another attribute of the element", '<a src="/x">', '<a src="/x">'],
  ["another element", '<p href="/x">', '<p href="/x">'],
  ["a relative link", '<a href="x">', '<a href="x">'],
  ["a larger-than sign in a value", '<a title=">" href="/x">', '<a title=">" href="/m/x">'],
  ["a quote that begins no value", `<a it's href="/x">`, `<a it's href="/m/x">`],
  ["a comment", `<!-- it's <a href="/x"> --><a href="/x">`, `<!-- it's <a href="/x"> --><a href="/m/x">`],
  ["a declaration", '<!DOCTYPE html><?x?><a href="/x">', '<!DOCTYPE html><?x?><a href="/m/x">'],
  [
    "a script and its text",
    `<script src="/x">'<a href="/y">'</SCRIPT><a href="/z">`,
    `<script src="/m/x">'<a href="/y">'</SCRIPT><a href="/m/z">`,
  ],
  ["text with signs", 'a < b <3 && <> <a href="/x">', 'a < b <3 && <> <a href="/m/x">'],
  ["bytes above 127", '\u00e9<a href="/\u00ff">', '\u00e9<a href="/m/\u00ff">'],
  ["equals signs", '<a =href="/x" = href==/y>', '<a =href="/x" = href==/y>'],
];

describe("links of a page", () => {
  it.each(PAGES)("%s", (_what, page, rewritten) => {
    expect(passed([page])).toBe(rewritten);
  });

  it.each(PAGES)("%s, however it is cut into pieces", (_what, page, rewritten) => {
    for (const length of [1, 2, 3, 7]) {
      const pieces = page.match(new RegExp(`[^]{1,${length}}`, "g"))!;
      expect(passed(pieces)).toBe(rewritten);
    }
  });

  it("holds back no more than the beginning of a tag", () => {
    const links = new HtmlLinks(rewrite);
    const long = `<a title="${"x".repeat(100_000)}" href="/x">`;
    expect(links.push(long.slice(0, 50_000)).length).toBe(50_000);
    expect(links.push(`${long.slice(50_000)}<a href="/x">`).endsWith('<a href="/m/x">')).toBe(true);
  });

  it("passes all of a tag that is too long at once, so that what begins in it is not gone through again", () => {
    expect(new HtmlLinks(rewrite).push("<a ".repeat(4_000)).length).toBeGreaterThanOrEqual(8 * 1024);
  });
});
