import { streamName } from '@app/contracts/define';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { createArrivals } from '@app/testing/arrivals';
import { guardLeaks } from '@app/testing/leak-guard';
import { connectNatsAs, createBareNatsServer, keepStreams, type TestNatsServer } from '@app/testing/nats';
import { headers, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newInbox } from '../src/names.ts';
import { createRequester } from '../src/requester.ts';
import { type AttackedPlatform, openAttackedPlatform, producers, requestOf } from './attack-platform.ts';
import { caller } from './harness.ts';

/**
 * Guarantee: whoever has the password of one service gets nothing of the others with it: it changes no stream, consumer or
 * event of theirs, reads nothing that is for them, and makes them do nothing that it may not ask.
 */
guardLeaks();

let nats: TestNatsServer;
let platform: AttackedPlatform;
let keeper: { close(): Promise<void> };

beforeAll(async () => {
  nats = await createBareNatsServer();
  // What is worked on stays worked on.
  keeper = await keepStreams(nats, { ackWaitMs: 3_600_000 });
  platform = await openAttackedPlatform(nats);
});

afterAll(async () => {
  await platform.close();
  await keeper.close();
  await nats.close();
});

const attackers = serviceNames.map((attacker) => [attacker] as const);
const othersOf = (attacker: ServiceName): ServiceName[] => serviceNames.filter((name) => name !== attacker);
const apis = ['$JS.API', 'js'];
const stolen = JSON.stringify({ name: 'STOLEN', subjects: ['svc.>', '_INBOX_gateway.>'] });

/** A connection with the attacker's password and none of our code. */
async function attack(attacker: ServiceName, act: (connection: NatsConnection) => Promise<void>): Promise<void> {
  const before = await platform.state(attacker);
  const connection = await connectNatsAs(nats, attacker);
  const lost = connection.closed();
  let reconnects = 0;
  void (async () => {
    for await (const { type } of connection.status()) if (type === 'disconnect') reconnects += 1;
  })();
  await act(connection);
  // What was published is done when the server answers, and what it made others do when they have answered too.
  await connection.flush();
  for (const client of platform.clients.values()) await client.connection.flush();
  await connection.flush();
  expect(await platform.state(attacker)).toEqual(before);
  expect(reconnects, 'the server stayed up').toBe(0);
  await connection.close();
  await lost;
}

/** Calls of JetStream's API that would change, empty or read what others have, each as its subject and its body. */
function streamCalls(attacker: ServiceName): [string, string][] {
  const calls: [string, string][] = [['STREAM.CREATE.STOLEN', stolen]];
  for (const producer of serviceNames) {
    const stream = streamName(producer);
    const captured = { name: stream, subjects: [`evt.${producer}.>`, 'svc.>', '_INBOX_gateway.>'] };
    const push = { stream_name: stream, config: { deliver_subject: 'svc.billing.test.answer', ack_policy: 'none' } };
    calls.push(
      [`STREAM.UPDATE.${stream}`, JSON.stringify(captured)],
      [`STREAM.PURGE.${stream}`, '{}'],
      [`STREAM.MSG.DELETE.${stream}`, '{"seq":1}'],
      [`STREAM.DELETE.${stream}`, ''],
      [`CONSUMER.CREATE.${stream}`, JSON.stringify(push)],
      [`CONSUMER.CREATE.${stream}.${attacker}_x.evt.${producer}.>`, JSON.stringify(push)],
    );
  }
  for (const { consumer, stream, name } of platform.durables) {
    if (consumer !== attacker) calls.push([`CONSUMER.MSG.NEXT.${stream}.${name}`, '1']);
    const push = {
      stream_name: stream,
      config: { durable_name: name, deliver_subject: 'evt.catalog.product.created.v1' },
    };
    calls.push(
      [`CONSUMER.DELETE.${stream}.${name}`, ''],
      [`CONSUMER.CREATE.${stream}.${name}`, JSON.stringify(push)],
      [`CONSUMER.DURABLE.CREATE.${stream}.${name}`, JSON.stringify(push)],
    );
  }
  return calls.flatMap(([call, body]) => apis.map((api): [string, string] => [`${api}.${call}`, body]));
}

/** Where one who may not publish would have nats-server publish: everything that does something. */
function targets(attacker: ServiceName): string[] {
  const of = othersOf(attacker).flatMap((other) => [
    `svc.${other}.test.answer`,
    `svc.${other}.ping`,
    `evt.${other}.product.created.v1`,
    `keep.${other}.renew`,
    `keep.${other}.replay`,
    `$SRV.PING.${other}`,
    `_INBOX_${other.replaceAll('-', '_')}.${attacker}.guess.1`,
  ]);
  const acks = platform.durables.filter(({ consumer }) => consumer !== attacker).map(({ ack }) => ack);
  const streams = serviceNames.map(streamName);
  const calls = ['STREAM.INFO', 'STREAM.PURGE', 'STREAM.MSG.DELETE', 'STREAM.UPDATE', 'STREAM.DELETE'].flatMap((call) =>
    streams.flatMap((stream) => apis.map((api) => `${api}.${call}.${stream}`)),
  );
  const pulls = platform.durables.flatMap(({ consumer, stream, name }) =>
    consumer === attacker ? [] : apis.map((api) => `${api}.CONSUMER.MSG.NEXT.${stream}.${name}`),
  );
  return [...of, ...acks, ...calls, ...pulls];
}

/** What the attacker may send, with what makes nats-server or the keeper answer it. */
function answeredRequests(attacker: ServiceName): [string, string][] {
  const { publishes, consumes } = topology[attacker];
  const own = publishes ? [[`evt.${attacker}.test.happened.v1`, '{"past":0}']] : [];
  const info = publishes ? [[`js.STREAM.INFO.${streamName(attacker)}`, '']] : [];
  const asked = publishes ? [[`keep.${attacker}.renew`, '{"past":1000000}']] : [];
  const replays = consumes.map(({ subject }) => [
    `keep.${attacker}.replay`,
    JSON.stringify({ event: subject, since: null }),
  ]);
  const pulls = platform.durables
    .filter(({ consumer }) => consumer === attacker)
    .flatMap(({ stream, name, ack }) =>
      ['$JS.API', 'js']
        .flatMap((api) => [
          [`${api}.CONSUMER.INFO.${stream}.${name}`, ''],
          [`${api}.CONSUMER.MSG.NEXT.${stream}.${name}`, '{"batch":1,"no_wait":true}'],
          [`${api}.CONSUMER.MSG.NEXT.${stream}.${name}`, '{"batch":1,"expires":1000000}'],
        ])
        .concat([[ack, '+NXT']]),
    )
    // Each kind of call once for each stream is enough.
    .slice(0, 14);
  return [...own, ...info, ...asked, ...replays.slice(0, 1), ...pulls] as [string, string][];
}

test.each(attackers)('%s changes no stream and no consumer by asking', async (attacker) => {
  await attack(attacker, async (connection) => {
    for (const [subject, body] of streamCalls(attacker)) connection.publish(subject, body, { reply: own(attacker) });
    for (const other of othersOf(attacker)) {
      connection.publish(`evt.${other}.product.created.v1`, '{}');
      connection.publish(`keep.${other}.renew`, '{"past":0}', { reply: own(attacker) });
      connection.publish(`_INBOX_${other.replaceAll('-', '_')}.x`, '{}');
    }
    for (const { consumer, ack } of platform.durables) if (consumer !== attacker) connection.publish(ack, '');
  });
});

const own = (attacker: ServiceName): string => `_INBOX_${attacker.replaceAll('-', '_')}.attack`;

test.each(attackers)(
  '%s has nothing published by the answers of nats-server, whatever reply it names',
  async (attacker) => {
    const begun = platform.answered.length;
    await attack(attacker, async (connection) => {
      for (const [subject, body] of answeredRequests(attacker)) {
        // A publisher's own acknowledgement, an error, a pulled event, the end of a pull.
        for (const reply of targets(attacker)) connection.publish(subject, body, { reply });
        await connection.flush();
      }
    });
    expect(platform.answered.length).toBe(begun);
  },
);

test.each(attackers)('%s makes no callee publish for it', async (attacker) => {
  const asked = topology[attacker].requests;
  const begun = platform.answered.length;
  await attack(attacker, async (connection) => {
    for (const callee of asked) {
      for (const reply of targets(attacker)) {
        connection.publish(`svc.${callee}.ping`, '', { reply });
        connection.publish(requestOf(callee).subject, '{}', { reply });
      }
    }
  });
  expect(platform.answered.length).toBe(begun);
});

test.each(attackers)('%s reads nothing that is for others', async (attacker) => {
  const read: string[] = [];
  await attack(attacker, async (connection) => {
    const foreign = [
      '>',
      'svc.>',
      'evt.>',
      '_INBOX_>',
      '_R_.>',
      '$JS.>',
      'js.>',
      'keep.>',
      ...othersOf(attacker).flatMap(readable),
    ];
    for (const subject of foreign)
      connection.subscribe(subject, { callback: (err, message) => void (err ?? read.push(message.subject)) });
    await connection.flush();
    for (const requester of othersOf(attacker))
      for (const callee of topology[requester].requests.filter((name) => name !== attacker))
        expect(await ask(requester, callee)).toEqual({ by: callee });
  });
  expect(read).toEqual([]);
});

const readable = (other: ServiceName): string[] => [
  `svc.${other}.>`,
  `svc.${other}.test.answer`,
  `_INBOX_${other.replaceAll('-', '_')}.>`,
  `wake.${other}.>`,
];

async function ask(requester: ServiceName, callee: ServiceName): Promise<unknown> {
  const client = platform.clients.get(requester);
  if (client === undefined) throw new Error(`${requester} is not connected`);
  return await createRequester(client).request(requestOf(callee), {}, caller);
}

test.each(attackers)(
  '%s may publish into the inboxes that its callers open for it, and into no other',
  async (attacker) => {
    const inboxes = ([...serviceNames, 'keeper'] as const).flatMap((requester) =>
      ([...serviceNames, 'streams'] as const).map((callee) => {
        const isCaller = requester !== 'keeper' && topology[requester].requests.includes(attacker);
        return { subject: newInbox(requester, callee), permitted: callee === attacker && isCaller };
      }),
    );
    await attack(attacker, async (connection) => {
      const refused = createArrivals<string>();
      void (async () => {
        for await (const status of connection.status())
          if (status.type === 'error' && status.error instanceof PermissionViolationError)
            refused.push(status.error.subject);
      })();
      for (const { subject } of inboxes) connection.publish(subject, '{}');
      // The server refuses in the order of what was published: when this is refused, all others were.
      const last = `svc.${attacker}.last`;
      connection.publish(last, '{}');
      await refused.wait(1, { matches: (subject) => subject === last });
      const foreign = inboxes.filter(({ permitted }) => !permitted).map(({ subject }) => subject);
      expect(refused.list).toEqual([...foreign, last]);
    });
  },
);

const pairs = serviceNames.flatMap((requester) =>
  topology[requester].requests.map((attacker) => [attacker, requester] as const),
);

test.each(pairs)(
  '%s, which knows its own inbox at %s, forges no answer of another callee',
  async (attacker, requester) => {
    const others = topology[requester].requests.filter((callee) => callee !== attacker);
    const victim = platform.clients.get(requester);
    if (victim === undefined) throw new Error(`${requester} is not connected`);
    const asks = createRequester(victim);
    await attack(attacker, async (connection) => {
      const seen = Promise.withResolvers<string>();
      connection.subscribe(`svc.${attacker}.>`, { callback: (_err, { reply = '' }) => seen.resolve(reply) });
      await connection.flush();
      await asks.request(requestOf(attacker), {}, caller);
      const known = (await seen.promise).split('.');
      const forged = headers();
      forged.set('working', '0');
      for (const callee of others) {
        const guesses = guessed(known, attacker, callee);
        for (const reply of guesses) connection.publish(reply, '{"by":"forged"}');
        if (topology[attacker].publishes)
          for (const reply of guesses) connection.publish(`evt.${attacker}.test.happened.v1`, '{}', { reply });
        await connection.flush();
        const asked = asks.request(requestOf(callee), {}, caller);
        for (const reply of guesses) connection.publish(reply, '{"by":"forged"}');
        expect(await asked).toEqual({ by: callee });
      }
    });
  },
);

/** The counter that comes next, under the name of the attacker and of the callee. */
function guessed(known: readonly string[], attacker: ServiceName, callee: ServiceName): string[] {
  const prefix = known.slice(0, -1).map((token) => (token === attacker ? callee : token));
  const same = known.slice(0, -1);
  return Array.from({ length: 40 }, (_, number) => number.toString(36)).flatMap((counter) => [
    [...prefix, counter].join('.'),
    [...same, counter].join('.'),
  ]);
}

test('every attack was played against streams that have events and consumers that work on some', async () => {
  for (const producer of producers)
    expect((await platform.manager.streams.info(streamName(producer))).state.messages).toBeGreaterThan(0);
  expect(platform.durables.length).toBeGreaterThan(40);
});
