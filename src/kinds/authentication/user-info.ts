// Users in the bodies of reviews.

import { opt, s } from "../../schema/builder.ts";

export const userInfo = s.struct("authentication.v1.UserInfo", "A user as authentication has found it.", () => ({
  username: opt.string(1, "The name that tells the user apart from all other active users."),
  uid: opt.string(2, "Tells apart users who had the same name at different times; often empty."),
  groups: opt.atomic("string", 3, "The groups that the user is in; rules may grant rights to them."),
  extra: opt.map(extraValue, 4, "Further facts from the authenticator, by key."),
}));

const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
