import { describe, expect, it } from "vitest";
import { EventLines } from "./event-lines.ts";
import { decodeObject, encodeObject } from "./resources/decode-object.ts";

describe("the lines of a watch", () => {
  const text = '{"a":1}\n\n{"b":"ü"}\n{"c":3}\n';
  const bytes = Buffer.from(text);

  it.each([1, 2, 3, 7, 100])("are the same however the stream is cut (%i bytes)", (size) => {
    const lines = new EventLines();
    const found: string[] = [];
    for (let start = 0; start < bytes.length; start += size)
      for (const line of lines.push(bytes.subarray(start, start + size))) found.push(Buffer.from(line).toString());
    expect(found).toEqual(['{"a":1}', '{"b":"ü"}', '{"c":3}']);
  });

  it("are cut one by one, as they are asked for", () => {
    const lines = new EventLines().push(bytes);
    expect(Buffer.from(lines.next().value!).toString()).toBe('{"a":1}');
    expect(Buffer.from(lines.next().value!).toString()).toBe('{"b":"ü"}');
  });
});

describe("objects in answers", () => {
  it.each(["9007199254740993", "-9223372036854775808", '"12345678901234567890"', "0.1234567890123456789", "1e300"])(
    "keep %s as it is through reading and writing",
    (number) => {
      const text = `{"value":${number}}`;
      const read = decodeObject(Buffer.from(text));
      expect(JSON.parse(Buffer.from(encodeObject(read)).toString())).toEqual(JSON.parse(text));
      if (/^-?\d+$/.test(number)) expect(Buffer.from(encodeObject(read)).toString()).toBe(text);
    },
  );

  it("say what is wrong with bytes that are no JSON", () => {
    expect(() => decodeObject(Buffer.from('{"a":}'))).toThrow();
  });
});
