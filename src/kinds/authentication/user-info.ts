// Users in the bodies of reviews.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type UserInfo = ObjectOf<typeof userInfo>;

export const userInfo = s.struct(
  "authentication.v1.UserInfo",
  { doc: "A user as authentication has found it." },
  () => ({
    username: s.string({
      proto: 1,
      optional: true,
      doc: "The name that tells the user apart from all other active users.",
    }),
    uid: s.string({
      proto: 2,
      optional: true,
      doc: "Tells apart users who had the same name at different times; often empty.",
    }),
    groups: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "The groups that the user is in; rules may grant rights to them.",
    }),
    extra: s.map(extraValue, { proto: 4, optional: true, doc: "Further facts from the authenticator, by key." }),
  }),
);

export const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
