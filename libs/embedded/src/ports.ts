import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/**
 * Systems give outgoing connections ports from 32768 up. A client that connects while a server is down, above all one
 * that tries to reach it again and again, could get that server's own port, which then is taken when the server is back.
 */
const lowest = 15_000;
const highest = 32_767;

/**
 * Seconds may pass until a process listens on a port that was found: processes that search at the same time try ports
 * of their own, as far as their ids differ modulo this. Each has 291 of them.
 */
const portSets = 61;
const portsOfEachSet = Math.floor((highest - lowest + 1) / portSets);
/** What this process found last; it does not find these again. */
const found: number[] = [];
const foundMax = 200;

/**
 * A TCP port of 127.0.0.1 that no process listens on right now. Another process may take it before you do: retry.
 * @param except a port that a process is about to listen on
 */
export async function freePort(except?: number): Promise<number> {
  for (;;) {
    const port = lowest + (process.pid % portSets) + portSets * randomInt(portsOfEachSet);
    if (port === except || found.includes(port) || !(await mayListen(port))) continue;
    found.push(port);
    if (found.length > foundMax) found.shift();
    return port;
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
