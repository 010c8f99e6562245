import { describe, expect, it } from "vitest";
import { type Welcome, welcome } from "./welcome.ts";

const at = (more: Partial<Welcome>): string =>
  welcome({
    url: "https://127.0.0.1:6443",
    kubeconfig: "/home/ann/.plinth/kubeconfig",
    caFile: "/home/ann/.plinth/pki/ca.crt",
    dialect: "kubernetes",
    workingDirectory: "/home/ann",
    ...more,
  });

describe("the welcome", () => {
  it("names files below the working directory as they are from there, and others in full", () => {
    expect(at({})).toContain("export KUBECONFIG=.plinth/kubeconfig\n");
    expect(at({ workingDirectory: "/home/bob" })).toContain("export KUBECONFIG=/home/ann/.plinth/kubeconfig\n");
  });

  it("names the node that the machine is", () => {
    expect(at({ node: "alone" })).toContain("kubeconfig: .plinth/kubeconfig\nnode: alone, ready in a moment\n\nTry:");
    expect(at({})).toContain("kubeconfig: .plinth/kubeconfig\n\nTry:");
  });

  it.each([
    ["a space", "/d/my store/kubeconfig", "'/d/my store/kubeconfig'"],
    ["a quote", "/d/ann's/kubeconfig", String.raw`'/d/ann'\''s/kubeconfig'`],
    ["a dollar", "/d/$HOME/kubeconfig", "'/d/$HOME/kubeconfig'"],
  ])("quotes a path with %s", (_what, kubeconfig, expected) => {
    expect(at({ kubeconfig })).toContain(`export KUBECONFIG=${expected}\n`);
  });

  it("quotes addresses, in which some shells look for files", () => {
    expect(at({})).toContain("curl --cacert .plinth/pki/ca.crt 'https://127.0.0.1:6443/readyz?verbose'\n");
    expect(at({ caFile: undefined })).toContain("curl 'https://127.0.0.1:6443/readyz?verbose'\n");
  });

  it("says whom to trust where the certificate was brought", () => {
    expect(at({ caFile: undefined })).toContain("--certificate-authority=FILE");
    expect(at({})).not.toContain("--certificate-authority");
  });

  it("says in the dialect that few tools speak which one does, and how to get the other", () => {
    expect(at({ dialect: "platform" })).toContain("bin/pctl works for every kind");
    expect(at({ dialect: "platform" })).toContain("--dialect=kubernetes");
    expect(at({})).not.toContain("--dialect");
  });
});
