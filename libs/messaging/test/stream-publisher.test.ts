import { guardLeaks } from '@app/testing/leak-guard';
import { listen } from '@app/testing/points';
import { headers } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { connectionChanged } from '../src/points.ts';
import { openStreamPublisher, type StreamPublisher } from '../src/stream-publisher.ts';
import { counted, eachTestHasNats } from './harness.ts';

guardLeaks();

const rig = eachTestHasNats();
let nats: NatsClient;
let publisher: StreamPublisher;

beforeEach(async () => {
  nats = rig.opened(await connectNats(rig.nats.login('checkout')));
  publisher = openStreamPublisher(nats);
});

afterEach(() => publisher.close());

const publish = (eventId: string, payload = '{}') => publisher.publish(eventId, counted.subject, payload, headers());

test('a stream answers with the sequence number of an event, and that it has one of the same id already', async () => {
  await rig.keep();
  const taken = await Promise.all(['evt_1', 'evt_2', 'evt_1'].map((id) => publish(id)));
  expect(taken).toEqual([
    { seq: 1, duplicate: false },
    { seq: 2, duplicate: false },
    { seq: 1, duplicate: true },
  ]);
});

test('where there is no stream the publish fails', async () => {
  await expect(publish('evt_1')).rejects.toThrow(/no stream takes this subject|timeout/);
});

test('what still waits when the publisher closes is rejected', async () => {
  await rig.keep();
  const listener = listen();
  await rig.nats.kill();
  for (const away of ['checkout', 'keeper'])
    await listener.announced(connectionChanged, ({ service, up }) => service === away && !up);
  expect(nats.connected()).toBe(false);
  const waiting = publish('evt_1');
  publisher.close();
  await expect(waiting).rejects.toThrow('closed before the stream acknowledged');
});
