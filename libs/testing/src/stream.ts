import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connectObserver, type TestNats } from './nats.ts';

/** Everything a stream holds right now, oldest first: subject and parsed body. */
export async function readStream(nats: TestNats, stream: string): Promise<{ subject: string; body: unknown }[]> {
  const connection = await connectObserver(nats);
  try {
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(stream);
    if (state.messages === 0) return [];
    const { name } = await manager.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      inactive_threshold: 30_000_000_000,
    });
    const consumer = await jetstream(connection).consumers.get(stream, name);
    const read: { subject: string; body: unknown }[] = [];
    // Ends with the last message: the time is for a machine that is busy.
    for await (const message of await consumer.fetch({ max_messages: state.messages, expires: 20_000 })) {
      read.push({ subject: message.subject, body: message.json() });
    }
    return read;
  } finally {
    await connection.close();
  }
}

/** The durable consumers that lag, each as `stream consumer: not delivered + not acknowledged`. */
export async function listLaggingConsumers(nats: TestNats): Promise<string[]> {
  const connection = await connectObserver(nats);
  try {
    const manager = await jetstreamManager(connection);
    const lagging: string[] = [];
    for await (const stream of manager.streams.names()) {
      for await (const { name, num_pending: pending, num_ack_pending: underWay } of manager.consumers.list(stream)) {
        if (pending + underWay > 0) lagging.push(`${stream} ${name}: ${pending} + ${underWay}`);
      }
    }
    return lagging;
  } finally {
    await connection.close();
  }
}
