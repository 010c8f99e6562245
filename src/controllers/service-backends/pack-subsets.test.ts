// Requirements: document 3, "Endpoints": each subset is the cross product of addresses and ports.

import { expect, it } from "vitest";
import { entriesOf, packSubsets, type Subset } from "./pack-subsets.ts";

const web = { name: "web", port: 80, protocol: "TCP" } as const;
const admin = { name: "admin", port: 81, protocol: "TCP" } as const;
const a = { ip: "10.0.0.1" };
const b = { ip: "10.0.0.2" };

const cases: [string, Subset[], Subset[]][] = [
  ["nothing stays nothing", [], []],
  [
    "ports with the same addresses share a subset",
    [
      { addresses: [a], ports: [web] },
      { addresses: [a], ports: [admin] },
    ],
    [{ addresses: [a], ports: [admin, web] }],
  ],
  [
    "addresses with the same port share a subset",
    [
      { addresses: [b], ports: [web] },
      { addresses: [a], ports: [web] },
    ],
    [{ addresses: [a, b], ports: [web] }],
  ],
  [
    "ports with other addresses stand apart",
    [
      { addresses: [a, b], ports: [web] },
      { addresses: [a], ports: [admin] },
    ],
    [
      { addresses: [a, b], ports: [web] },
      { addresses: [a], ports: [admin] },
    ],
  ],
  [
    "an address is in one list only, and not ready counts",
    [
      { addresses: [a], ports: [web] },
      { notReadyAddresses: [a], ports: [web] },
    ],
    [{ notReadyAddresses: [a], ports: [web] }],
  ],
  [
    "an address says the same with every port: what it said first",
    [
      { addresses: [{ ...a, hostname: "db-0", nodeName: "n1" }, b], ports: [web] },
      { addresses: [a], ports: [admin] },
    ],
    [
      { addresses: [{ ...a, hostname: "db-0", nodeName: "n1" }, b], ports: [web] },
      { addresses: [{ ...a, hostname: "db-0", nodeName: "n1" }], ports: [admin] },
    ],
  ],
  ["subsets without ports stay", [{ addresses: [b, a] }], [{ addresses: [a, b] }]],
  [
    "one address of two pods is two",
    [
      {
        addresses: [
          { ...a, targetRef: { uid: "2" } },
          { ...a, targetRef: { uid: "1" } },
        ],
        ports: [web],
      },
    ],
    [
      {
        addresses: [
          { ...a, targetRef: { uid: "1" } },
          { ...a, targetRef: { uid: "2" } },
        ],
        ports: [web],
      },
    ],
  ],
];

it.each(cases)("%s", (_what, given, expected) => {
  expect(packSubsets(entriesOf(given))).toEqual(expected);
  expect(packSubsets(entriesOf(expected)), "packed twice is packed once").toEqual(expected);
});
