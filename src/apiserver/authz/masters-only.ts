// The group that is above all authorization. Requirements: document 2, "Authorization verdicts".

import { SYSTEM_MASTERS } from "../../meta/user.ts";
import type { Authorizer } from "./authorizer.ts";

export const mastersOnly: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(SYSTEM_MASTERS) ? { verdict: "allow", reason: "" } : { verdict: "no-opinion", reason: "" }),
};
