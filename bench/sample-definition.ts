// A definition of a custom resource, for benchmarks: every number has a resource of its own.

/** About 10 KB, as the definitions of operators are. */
export function definition(index: number) {
  const leaf = (i: number) => ({
    type: "string",
    description: `Field ${i} of the spec, which says something about it.`,
    maxLength: 253,
  });
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field${i}`, leaf(i)]));
  const plural = `things${index}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.bench.example.com` },
    spec: {
      group: "bench.example.com",
      scope: "Namespaced",
      names: { plural, kind: `Thing${index}` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: fields,
                  "x-kubernetes-validations": [{ rule: "self.field0 != 'no'" }],
                },
              },
            },
          },
        },
      ],
    },
  };
}
