import { parentPort, workerData } from 'node:worker_threads';
import type { Msg } from '@nats-io/transport-node';
import { connectNats } from '../src/connect.ts';

interface Given {
  readonly login: Parameters<typeof connectNats>[0];
  readonly subject: string;
  readonly reply: string;
  /** Whether the requesting thread is paused, and whether it was replied to. */
  readonly turns: Int32Array;
}

/** A callee in a thread of its own: it replies once the requesting thread is paused. */
const { login, subject, reply, turns }: Given = workerData;
const { connection } = await connectNats(login);

async function respond(message: Msg): Promise<void> {
  parentPort?.postMessage('requested');
  Atomics.wait(turns, 0, 0);
  message.respond(reply);
  await connection.flush();
  Atomics.store(turns, 1, 1);
  Atomics.notify(turns, 1);
}

connection.subscribe(subject, { callback: (_, message) => void respond(message) });
await connection.flush();
parentPort?.postMessage('subscribed');
