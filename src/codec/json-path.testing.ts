// An object for tests of paths.

export const PATHS_SAMPLE = {
  metadata: { name: "n", creationTimestamp: "2024-01-01T00:00:00Z", annotations: { "a.b/c": "slash" } },
  spec: {
    n: 5,
    f: 1.5,
    b: false,
    list: ["x", "y", "z"],
    ports: [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ],
    o: { k: [1] },
  },
  status: {
    conditions: [
      { type: "Ready", status: "False" },
      { type: "Synced", status: "True" },
    ],
  },
};
