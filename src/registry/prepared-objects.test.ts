// The file of prepared objects, written and read.

import { expect, it } from "vitest";
import { ownTimeOf, readPrepared, writePrepared } from "./prepared-objects.ts";

const UID = "00000000-0000-4000-8000-000000000000";
const OWN = "11111111-1111-4111-8111-111111111111";
const NOW = ownTimeOf("2031-02-03T04:05:06Z");

const read = (objects: Record<string, string>) => [
  ...readPrepared(writePrepared(Object.entries(objects).map(([key, text]) => [key, Buffer.from(text)]))).values(),
];

it("has its objects in their order, with places, each as it was until it is told its own words", () => {
  const objects = read({
    "/registry/roles/n/b": `{"a":"é\n"}`,
    "/registry/services/specs/n/a": "{}",
    "/registry/other": "",
  });
  expect(objects.map(({ key, place }) => [key, place])).toEqual([
    ["/registry/roles/n/b", "roles"],
    ["/registry/services/specs/n/a", "services"],
    ["/registry/other", "other"],
  ]);
  expect(objects.map((object) => object.ownedBy(OWN, NOW).toString())).toEqual([`{"a":"é\n"}`, "{}", ""]);
});

it("puts uid and times where the old ones stand, behind characters of several bytes too, and leaves what is shared", () => {
  const text = (uid: string, micros: string, seconds: string, day: string) =>
    `{"é":"€","uid":"${uid}","a":"${micros}","b":"${seconds}","c":"${day}","owner":{"uid":"${UID}"}}`;
  const prepared = text(UID, "2000-01-01T00:00:00.000000Z", "2000-01-01T00:00:00Z", "2000-01-01");
  const [object] = read({ a: prepared });
  const own = ["2031-02-03T04:05:06.000000Z", "2031-02-03T04:05:06Z", "2031-02-03"] as const;
  expect(object!.ownedBy(OWN, NOW).toString()).toBe(text(OWN, ...own));
  expect(object!.at(NOW).toString()).toBe(text(UID, ...own));
  expect(object!.at(ownTimeOf("2000-01-01T00:00:00Z")).toString()).toBe(prepared);
});
