// Circles in a graph of imports.

/** From, to. */
export type Edge = readonly [string, string];

/** The folder of a file as the map of the house has it: src/apiserver/handlers/special/x.ts -> apiserver/handlers. */
export function roomOf(path: string): string {
  const parts = path.split("/").slice(1, -1);
  // Groups of kinds build on each other file by file; as folders they are one.
  return parts[0] === "kinds" ? "kinds" : parts.slice(0, 2).join("/");
}

/** The groups of nodes that reach each other, each sorted; Tarjan's algorithm without recursion. */
export function circles(edges: readonly Edge[]): string[][] {
  const next = new Map<string, string[]>();
  for (const [from, to] of edges) {
    next.set(from, [...(next.get(from) ?? []), to]);
    if (!next.has(to)) next.set(to, []);
  }
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];
  for (const root of next.keys()) {
    if (index.has(root)) continue;
    const path: { node: string; rest: string[] }[] = [enter(root)];
    while (path.length > 0) {
      const { node, rest } = path.at(-1)!;
      const target = rest.pop();
      if (target !== undefined) {
        if (!index.has(target)) path.push(enter(target));
        else if (isOpen.has(target)) low.set(node, Math.min(low.get(node)!, index.get(target)!));
        continue;
      }
      path.pop();
      const above = path.at(-1)?.node;
      if (above !== undefined) low.set(above, Math.min(low.get(above)!, low.get(node)!));
      if (low.get(node) === index.get(node)) close(node);
    }
  }
  return found;

  function enter(node: string): { node: string; rest: string[] } {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    open.push(node);
    isOpen.add(node);
    return { node, rest: [...next.get(node)!] };
  }

  function close(node: string): void {
    const members = open.splice(open.indexOf(node));
    for (const member of members) isOpen.delete(member);
    if (members.length > 1) found.push(members.sort());
  }
}
