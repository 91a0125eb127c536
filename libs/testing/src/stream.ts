// biome-ignore-start lint/style/noRestrictedImports: reads what the messaging library wrote, with none of its code
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
// biome-ignore-end lint/style/noRestrictedImports: see above

/** Everything a stream holds right now, oldest first: subject and parsed body. */
export async function readStream(natsUrl: string, stream: string): Promise<{ subject: string; body: unknown }[]> {
  const connection = await connect({ servers: natsUrl, name: 'test-read-stream' });
  try {
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(stream);
    if (state.messages === 0) return [];
    const { name } = await manager.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      inactive_threshold: 5_000_000_000,
    });
    const consumer = await jetstream(connection).consumers.get(stream, name);
    const read: { subject: string; body: unknown }[] = [];
    for await (const message of await consumer.fetch({ max_messages: state.messages, expires: 2_000 })) {
      read.push({ subject: message.subject, body: message.json() });
    }
    return read;
  } finally {
    await connection.close();
  }
}
