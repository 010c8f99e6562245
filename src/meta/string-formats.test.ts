import { describe, expect, it } from "vitest";
import { matchesFormat } from "./string-formats.ts";

const ROWS: [format: string, good: string[], bad: string[]][] = [
  ["uri", ["http://a.b/c", "/path", "/a b", "mailto:x"], ["no scheme", "", "a b", "http://[a", "http://a:b/", "/%zz"]],
  ["email", ["a@b", "Name <a@b.c>"], ["a", "@b", "a@"]],
  ["hostname", ["a", "a.example", "a-b.example"], ["-a", "a..b", "a.1"]],
  ["ipv4", ["1.2.3.4", "010.0.0.1"], ["1.2.3", "::1"]],
  ["ipv6", ["::1", "fe80::1"], ["1.2.3.4"]],
  ["cidr", ["10.0.0.0/8", "::/0", "010.0.0.0/8"], ["10.0.0.0", "10.0.0.0/33"]],
  ["mac", ["01:23:45:67:89:ab", "0123.4567.89ab"], ["01:23", "01-23:45:67:89:ab"]],
  ["uuid", ["123E4567-e89b-12d3-a456-426614174000"], ["123"]],
  ["uuid4", ["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-426614174000"]],
  ["isbn10", ["0321751043"], ["0321751044"]],
  ["isbn13", ["978-0321751041"], ["978-0321751042"]],
  ["creditcard", ["4111 1111 1111 1111"], ["4111 1111 1111 1112"]],
  ["hexcolor", ["#fff", "ABCDEF"], ["#ff"]],
  ["rgbcolor", ["rgb(0, 12,255)"], ["rgb(0,0,256)"]],
  ["byte", ["YQ=="], ["YQ=", ""]],
  ["date", ["2024-02-29"], ["2023-02-29", "2024-1-1"]],
  ["date-time", ["2024-02-29T01:02:03Z", "2024-02-29t01:02:03.5+01:00"], ["2024-02-29", "2024-02-29T24:00:00Z"]],
  ["duration", ["1h2m", "3 weeks"], ["soon"]],
];

describe("formats", () => {
  it.each(ROWS)("%s takes %j and refuses %j", (format, good, bad) => {
    expect(good.filter((text) => !matchesFormat(format, text))).toEqual([]);
    expect(bad.filter((text) => matchesFormat(format, text))).toEqual([]);
  });

  it.each([
    ["ipv4", "x."],
    ["cidr", "x"],
  ])("%s takes no longer to refuse very many zeros", (format, end) => {
    expect(matchesFormat(format, `${"0".repeat(500_000)}${end}`)).toBe(false);
  });

  it("does not judge by formats it does not know", () => {
    expect(matchesFormat("telephone", "x")).toBeUndefined();
  });
});
