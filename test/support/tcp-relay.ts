/** A proxy before a server: it passes bytes on, cuts or stalls connections, or leads to another server from now on. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type TcpRelay = {
  port: number;
  /** All connections end, and new ones after so many bytes of the server: none, or its greeting and not much more. */
  cutAfter(bytes: number): void;
  /** Nothing is passed on any more, in neither direction; connections stay open. */
  stall(): void;
  goOn(): void;
  /**
   * As a router that lost its table: on the connections that there are nothing comes any more, and nobody hears of it, until
   * the systems on both sides have asked for `goneAfterMs` whether the other one is still there.
   */
  forget(goneAfterMs: number): void;
  /** New connections lead there; those that there are end. */
  leadTo(port: number): void;
  close(): Promise<void>;
};

export async function startTcpRelay(to: number): Promise<TcpRelay> {
  let target = to;
  let isStalled = false;
  let mostBytes = Number.POSITIVE_INFINITY;
  const open = new Set<Socket>();
  const forgotten = new Set<Socket>();
  const pass = (from: Socket, into: Socket): void => {
    open.add(from);
    if (isStalled) from.pause();
    from.on('data', (bytes) => {
      if (!into.write(bytes)) from.pause();
    });
    into.on('drain', () => void (isStalled || forgotten.has(from) || from.resume()));
    from.on('close', () => {
      open.delete(from);
      into.destroy();
    });
    from.on('error', () => into.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    pass(client, upstream);
    pass(upstream, client);
    upstream.on('data', () => void (upstream.bytesRead > mostBytes && client.destroy()));
    if (mostBytes === 0) client.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (bytes) => {
      mostBytes = bytes;
      for (const socket of open) socket.destroy();
    },
    stall: () => {
      isStalled = true;
      for (const socket of open) socket.pause();
    },
    goOn: () => {
      isStalled = false;
      mostBytes = Number.POSITIVE_INFINITY;
      for (const socket of open) if (!forgotten.has(socket)) socket.resume();
    },
    forget: (goneAfterMs) => {
      const gone = [...open];
      for (const socket of gone) forgotten.add(socket.pause());
      setTimeout(() => gone.forEach((socket) => socket.destroy()), goneAfterMs).unref();
    },
    leadTo: (port) => {
      target = port;
      for (const socket of open) socket.destroy();
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
