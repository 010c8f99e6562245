import { describe, expect, it } from "vitest";
import { inProcessRequest } from "../http/in-process.ts";
import { NO_CREDENTIALS } from "./authenticator.ts";
import { InProcessUsers } from "./in-process-users.ts";

describe("callers inside the process", () => {
  const users = new InProcessUsers();
  const authenticator = users.before({ authenticate: () => NO_CREDENTIALS });
  const connection = users.connect({ name: "system:serviceaccount:kube-system:x", groups: ["system:serviceaccounts"] });

  it("are the user that their connection was made for, and authenticated", () => {
    const request = inProcessRequest({ method: "GET", url: "/api", connection });
    expect(authenticator.authenticate(request)).toEqual({
      result: "user",
      user: {
        name: "system:serviceaccount:kube-system:x",
        groups: ["system:serviceaccounts", "system:authenticated"],
      },
    });
  });

  it("are nobody without it, whatever they say", () => {
    const request = inProcessRequest({ method: "GET", url: "/api", headers: { "x-remote-user": "admin" } });
    expect(authenticator.authenticate(request)).toEqual(NO_CREDENTIALS);
  });
});
