// Pings of the other end of a WebSocket, answered one at a time: whoever sends them without reading the answers must not fill
// our memory with them. RFC 6455, section 5.5.3: of several pings the last one may be answered alone.

/** Takes each ping. `send` answers one, and tells when the connection has taken the answer. */
export function pingAnswerer(send: (ping: Buffer, sent: () => void) => void): (ping: Buffer) => void {
  let isSending = false;
  let last: Buffer | undefined;
  const answer = (ping: Buffer): void => {
    isSending = true;
    send(ping, () => {
      isSending = false;
      const next = last;
      last = undefined;
      if (next !== undefined) answer(next);
    });
  };
  return (ping) => {
    // A copy: the bytes lie in a larger piece that was received.
    if (isSending) last = Buffer.from(ping);
    else answer(ping);
  };
}
