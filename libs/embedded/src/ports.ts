import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/**
 * Systems give outgoing connections ports from 32768 up. A client that connects while a server is down, above all one
 * that tries to reach it again and again, could get that server's own port, which then is taken when the server is back.
 */
const lowest = 15_000;
const highest = 32_767;

/**
 * A TCP port of 127.0.0.1 that nobody listens on right now. Another process may take it before you do: retry.
 * @param except a port that somebody is about to listen on
 */
export async function freePort(except?: number): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (port !== except && (await mayListen(port))) return port;
  }
}

async function mayListen(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once('error', (err: NodeJS.ErrnoException) => {
      if (err.code === 'EADDRINUSE' || err.code === 'EACCES') resolve(false);
      else reject(err);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
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
