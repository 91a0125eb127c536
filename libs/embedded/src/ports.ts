import { connect, createServer } from 'node:net';

/**
 * A TCP port of 127.0.0.1 that nobody listens on right now. Another process may take it before you do: retry.
 * @param except a port that somebody is about to listen on
 */
export async function freePort(except?: number): Promise<number> {
  const port = await new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
  return port === except ? await freePort(except) : port;
}

/** Whether something accepts connections there; a host that does not answer within a second counts as free. */
export async function portInUse(port: number, host = '127.0.0.1'): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 });
    const answer = (inUse: boolean) => {
      socket.destroy();
      resolve(inUse);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}
