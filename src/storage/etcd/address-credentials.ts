// TLS with a member of etcd that is reached by its address. gRPC sends the address as the name of the server, which is no
// name: newer versions of Node refuse to.

import { once } from "node:events";
import { connect, type SecureContext } from "node:tls";
import { CallCredentials, ChannelCredentials, type experimental } from "@grpc/grpc-js";
import { addressProblem } from "../../base/server-identity.ts";

export class AddressCredentials extends ChannelCredentials {
  readonly #address: string;
  readonly #secureContext: SecureContext;

  /** `address`: without brackets. */
  constructor(address: string, secureContext: SecureContext) {
    super();
    this.#address = address;
    this.#secureContext = secureContext;
  }

  override _isSecure(): boolean {
    return true;
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(
    _target: unknown,
    _options: unknown,
    callCredentials = CallCredentials.createEmpty(),
  ): experimental.SecureConnector {
    return {
      connect: async (socket) => {
        const secured = connect({
          socket,
          secureContext: this.#secureContext,
          ALPNProtocols: ["h2"],
          checkServerIdentity: (_host, certificate) => addressProblem(this.#address, certificate),
        });
        await once(secured, "secureConnect");
        // Whoever carries the calls hears by its end that it broke.
        secured.on("error", () => undefined);
        return { socket: secured, secure: true };
      },
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => callCredentials,
      destroy: () => undefined,
    };
  }
}
