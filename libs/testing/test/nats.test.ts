// biome-ignore-start lint/style/noRestrictedImports: this is about the server, whatever our messaging library does
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
// biome-ignore-end lint/style/noRestrictedImports: see above
import { expect, test } from 'vitest';
import { createBareNatsServer, type TestNatsServer } from '../src/nats.ts';
import { openForFile } from '../src/opened.ts';

let nats: TestNatsServer;
openForFile(async () => {
  nats = await createBareNatsServer();
  return nats;
});

test('acknowledged messages survive a kill -9 and a restart of the server', async () => {
  const connection = await connect(nats.observer);
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'S', subjects: ['evt.>'] });
  await jetstream(connection).publish('evt.first', 'x');
  await connection.close();
  await nats.kill();
  await expect(connect({ ...nats.observer, reconnect: false })).rejects.toThrow();
  await nats.start();
  expect(await messages()).toBe(1);
  await nats.restart();
  expect(await messages()).toBe(1);
});

test('streams of one server are not seen on another', async () => {
  const other = await createBareNatsServer();
  const connection = await connect(other.observer);
  await expect((await jetstreamManager(connection)).streams.info('S')).rejects.toThrow('not found');
  expect(connection.info?.max_payload).toBe(8 * 1024 * 1024);
  await connection.close();
  await other.close();
});

async function messages(): Promise<number> {
  const connection = await connect(nats.observer);
  const info = await (await jetstreamManager(connection)).streams.info('S');
  await connection.close();
  return info.state.messages;
}
