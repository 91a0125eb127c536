import { randomInt } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

/**
 * Systems give outgoing connections ports from 32768 up. A client that connects while a server is down, above all one
 * that tries to reach it again and again, could get that server's own port, which then is taken when the server is back.
 */
const lowest = 15_000;
const highest = 32_767;

/**
 * Seconds may pass until a process listens on a port that was found. A UDP socket on the same number, which no other process
 * can bind meanwhile, keeps it from being found again; these are the last ones of this process.
 */
const reservations: UdpSocket[] = [];
const reservationsMax = 200;

/**
 * A TCP port of 127.0.0.1 that no process listens on right now, and that this function gave no process that still runs.
 * Another one may take it before you do: retry.
 * @param except a port that a process is about to listen on
 */
export async function freePort(except?: number): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (port === except) continue;
    const reservation = await reserve(port);
    if (reservation === 'taken') continue;
    const isFree = await mayListen(port);
    if (!isFree) reservation?.close();
    else if (reservation !== undefined) reservations.push(reservation);
    if (reservations.length > reservationsMax) reservations.shift()?.close();
    if (isFree) return port;
  }
}

/** @returns undefined where the system allows no such socket: then nothing is reserved */
async function reserve(port: number): Promise<UdpSocket | 'taken' | undefined> {
  const socket = createSocket('udp4').unref();
  const { promise, resolve } = Promise.withResolvers<UdpSocket | 'taken' | undefined>();
  socket.on('error', (err) => resolve(isTaken(err) ? 'taken' : undefined));
  socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(socket));
  const reserved = await promise;
  if (reserved !== socket) socket.close();
  return reserved;
}

async function mayListen(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once('error', (err) => {
      if (isTaken(err)) resolve(false);
      else reject(err);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

const isTaken = ({ code }: NodeJS.ErrnoException): boolean => code === 'EADDRINUSE' || code === 'EACCES';

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
