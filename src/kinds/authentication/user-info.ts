// Users in the bodies of reviews.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type UserInfo = ObjectOf<typeof userInfo>;

export const userInfo = s.struct("authentication.v1.UserInfo", () => ({
  username: s.string({ proto: 1, optional: true }),
  uid: s.string({ proto: 2, optional: true }),
  groups: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
  extra: s.map(extraValue, { proto: 4, optional: true }),
}));

export const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
