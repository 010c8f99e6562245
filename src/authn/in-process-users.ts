// Callers inside this process: each is a user with a name, known by the connection that its requests come over. The
// connection is an object that only its holder has: no header can name it.

import type { UserInfo } from "../meta/user.ts";
import { AUTHENTICATED_GROUP } from "../meta/user.ts";
import type { Authenticator } from "./authenticator.ts";

export class InProcessUsers {
  readonly #users = new WeakMap<object, UserInfo>();

  /** A connection whose requests are this user's. */
  connect({ name, uid, groups, extra }: UserInfo): object {
    const connection = {};
    const all = groups.includes(AUTHENTICATED_GROUP) ? groups : [...groups, AUTHENTICATED_GROUP];
    this.#users.set(connection, {
      name,
      groups: all,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
    });
    return connection;
  }

  /** Asks `others` about requests from outside. */
  before(others: Authenticator): Authenticator {
    return {
      authenticate: (request) => {
        const user = this.#users.get(request.connection);
        return user === undefined ? others.authenticate(request) : { result: "user", user };
      },
    };
  }
}
