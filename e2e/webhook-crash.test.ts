import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import { connectNats } from '@app/messaging/connect';
import { eventsHandled } from '@app/messaging/points';
import { writeContext } from '@app/messaging/request-headers';
import { createRequester } from '@app/messaging/requester';
import { type SpawnedNode, spawnNode } from '@app/testing/child-service';
import { volume } from '@app/testing/long';
import { type Behaviour, behaviours, type MixedReceiver, startMixedReceiver } from '@app/testing/mixed-receiver';
import { createNatsServer, type TestNatsServer } from '@app/testing/nats';
import { atRandomMoments, atRate } from '@app/testing/pace';
import { paidOrder } from '@app/testing/paid-order';
import { announced, listen } from '@app/testing/points';
import { pollSystem, untilBlocked } from '@app/testing/poll-system';
import { type Producers, startProducers } from '@app/testing/producers';
import { lockTable, query } from '@app/testing/sql';
import { startTcpProxy, type TcpProxy } from '@app/testing/tcp-proxy';
import { timePasses } from '@app/testing/time-passes';
import { migrate } from '@app/webhook-dispatcher/migrate';
import { attemptsRecorded, conservationProved, eventsStored } from '@app/webhook-dispatcher/points';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from './support/own-postgres.ts';

/**
 * Guarantee: whenever the webhook-dispatcher is killed with -9, every event arrives at every receiver that works, and as
 * often again as a kill fell between its POST and the record of it; what receivers do that do not work changes nothing of
 * that. Every event has its delivery, whose state says what became of it, and no proof of that finds a gap. An outage of
 * PostgreSQL or of nats-server doubles nothing.
 */
const crashes = volume(4, 100);
const events = volume(80, 5_000);
/** Twelve work, of which two take their time; eight do not. */
const endpoints: readonly Behaviour[] = [
  ...Array<Behaviour>(10).fill('ok'),
  ...(['slow', 'slow', 'error', 'error', 'busy', 'hang', 'drip', 'reset', 'moved', 'gone'] as const),
];

let postgres: OwnPostgres;
let nats: TestNatsServer;
/** Between the dispatcher and nats-server. */
let proxy: TcpProxy;
let databaseUrl: string;
let dispatcher: SpawnedNode;
let producers: Producers;
let receiver: MixedReceiver;

beforeAll(async () => {
  receiver = await startMixedReceiver();
  postgres = await startOwnPostgres();
  nats = await createNatsServer();
  proxy = await startTcpProxy(nats.url);
  databaseUrl = await postgres.createDatabase('webhooks', migrate);
  producers = await startProducers(nats, ['checkout', 'billing', 'catalog', 'affiliate'], 1_000);
  const env = {
    ...nats.settings('webhook-dispatcher'),
    ...{ NATS_URL: proxy.url, DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' },
    ...{ SECRETS_KEY: 'a key of at least thirty-two characters', WEBHOOKS_ALLOW_LOOPBACK: 'enabled' },
    WEBHOOKS_PER_SECOND: '1000000',
    CONSERVATION_SECONDS: '1',
  };
  dispatcher = await spawnNode('services/webhook-dispatcher/src/main.ts', env, {
    readyLine: /^webhook-dispatcher ready/,
    readyWithinMs: 200_000,
  });
});

afterAll(async () => {
  await dispatcher?.kill();
  await Promise.all([producers?.close(), proxy?.close()]);
  await nats?.close();
  await postgres?.close();
  await receiver?.close();
});

interface Account {
  readonly id: string;
  readonly behaviour: Behaviour;
}

async function connectAccounts(): Promise<Account[]> {
  const link = await connectNats(nats.login('gateway'));
  const requester = createRequester(link);
  const accounts: Account[] = [];
  for (const [number, behaviour] of endpoints.entries()) {
    const id = newId('account', Date.now());
    const context = { accountId: id, requestId: 'test', commandId: newId('event', Date.now()).slice('evt_'.length) };
    await requester.request(putWebhookEndpoint, { body: { url: receiver.urlOf(behaviour, number) } }, context);
    accounts.push({ id, behaviour });
  }
  await link.close();
  return accounts;
}

/** Event ids and the account of each, in the order in which the stream has them. */
const published = new Map<string, Account>();

/** Repeated under the same id until the stream has it, as a relay does. */
async function publish(account: Account): Promise<string> {
  const nowMs = Date.now();
  const event = { id: newId('event', nowMs), accountId: account.id, occurredAt: new Date(nowMs).toISOString() };
  const headers = writeContext({
    accountId: '',
    requestId: 'test',
    commandId: '',
    timeoutMs: 0,
    traceparent: undefined,
  });
  headers.append('Nats-Msg-Id', event.id);
  const data = paidOrder(nowMs);
  const isStored = (): Promise<boolean> =>
    producers.publish(orderPaid, { ...event, data }, headers).then(
      () => true,
      () => false,
    );
  while (!(await isStored())) await timePasses(publishAgainMs);
  published.set(event.id, account);
  return event.id;
}
const publishAgainMs = 100;

interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly status: string;
}

const deliveries = (): Promise<DeliveryRow[]> =>
  query<DeliveryRow>(
    databaseUrl,
    `select id, event_id, status from deliveries union all select id, event_id, status from finished_deliveries`,
  );
const isHealthy = ({ behaviour }: Account): boolean => behaviours.healthy.some((name) => name === behaviour);
const isWaiting = ({ status }: DeliveryRow): boolean => status === 'sending' || status === 'pending';

const count = async (sql: string): Promise<number> =>
  (await query<{ count: number }>(databaseUrl, `select count(*)::int as count from ${sql}`))[0]?.count ?? 0;

/** Where a kill found work. */
const found = { 'before the POST': 0, 'between POST and record': 0, 'before the ack': 0 };
/** By event id, how often it was sent and not recorded because of a kill. */
const cutOff = new Map<string, number>();
/** What had come when the process that runs was started. */
let cameBefore: ReadonlyMap<string, number> = new Map();

/** The connections of services; those of this test have names of their own. */
const connected = `pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and application_name not like 'test-%'`;

/** Kills, reads what is left, and starts again. */
async function crash(beforeStart: () => Promise<void> = async () => undefined): Promise<void> {
  await dispatcher.kill();
  await receiver.untilSilent();
  receiver.answerHeld();
  await beforeStart();
  // A statement that PostgreSQL has received ends, and may commit, although its process is gone.
  await pollSystem('no session of the dispatcher', async () => (await count(connected)) === 0);
  for (const { event_id: id } of (await deliveries()).filter(isWaiting)) {
    const account = published.get(id);
    if (account === undefined || !isHealthy(account)) continue;
    if ((receiver.arrivals.get(id) ?? 0) > (cameBefore.get(id) ?? 0)) {
      found['between POST and record'] += 1;
      cutOff.set(id, (cutOff.get(id) ?? 0) + 1);
    } else found['before the POST'] += 1;
  }
  cameBefore = new Map(receiver.arrivals);
  await dispatcher.restart();
}

type Aim = (pour: () => Promise<unknown>, healthy: Account) => Promise<void>;

/** Each begins while events flow, and kills at a moment of its own. */
const aims: Record<string, Aim> = {
  'at random': async (pour) => {
    await Promise.all([pour(), atRandomMoments(1, 1_500, crash)]);
  },
  /** Receivers that do not answer keep the slots, so that stored deliveries wait in memory. */
  'before the POST': async (pour, healthy) => {
    receiver.hold();
    const [, ...ids] = await Promise.all([pour(), ...Array.from({ length: 12 }, () => publish(healthy))]);
    for (const wanted of ids) await announced(eventsStored, ({ events }) => events.some(({ id }) => id === wanted));
    await crash();
  },
  /** Receivers have answered, and the record waits for a lock. */
  'after the POST': async (pour, healthy) => {
    const unlock = await lockTable(databaseUrl, 'attempts');
    const [, id] = await Promise.all([pour(), publish(healthy)]);
    await pollSystem('the receiver has the event', () => receiver.arrivals.has(id));
    await crash(unlock);
  },
  'after the record': async (pour, healthy) => {
    const { announced: announcedNow } = listen();
    const recorded = announcedNow(attemptsRecorded, ({ attempts }) => attempts.some(({ delivered }) => delivered));
    await Promise.all([pour(), publish(healthy), recorded]);
    await crash();
  },
  /** The transaction waits for a lock until acknowledgements cannot get through any more. */
  'before the ack': async (pour, healthy) => {
    const unlock = await lockTable(databaseUrl, 'inbox');
    await Promise.all([pour(), publish(healthy)]);
    await untilBlocked({ query: async (text) => ({ rows: await query(databaseUrl, text) }) });
    const { announced: announcedNow } = listen();
    proxy.silence();
    await unlock();
    await announcedNow(eventsHandled, ({ service }) => service === 'webhook-dispatcher');
    found['before the ack'] += 1;
    // nats-server is notified of the end of the process: else it would give the connection its events for 15 s more.
    await crash(async () => proxy.restore());
  },
};
/** In the long form half of the kills fall at random. */
const turns = Object.keys(aims)
  .filter((name) => name !== 'at random')
  .flatMap((name) => (crashes > 4 ? [name, 'at random'] : [name]));

test('every event arrives at every receiver that works, again only where a kill fell between POST and record, and none is lost', {
  timeout: (crashes * 15 + events / 10 + 240) * 1_000,
}, async () => {
  const accounts = await connectAccounts();
  const healthy = accounts.find(isHealthy) as Account;
  let next = 0;
  const publishNext = (): Promise<string> => publish(accounts[next++ % accounts.length] as Account);
  const portion = Math.ceil(events / crashes);
  for (let n = 0; n < crashes; n += 1) {
    const pour = () => atRate(portion, portion, publishNext);
    if (n === Math.floor(crashes / 2)) await restartServers(pour);
    await aims[turns[n % turns.length] as string]?.(pour, healthy);
  }

  const wanted = [...published].filter(([, account]) => isHealthy(account)).map(([id]) => id);
  await untilStored([...published.keys()]);
  expect(await count('events where sequence is not null')).toBe(published.size);
  // What is recorded by now may have been recorded by a process that was killed before it announced that.
  const isWanted = new Set(wanted);
  for (const { id } of (await deliveries()).filter((one) => isWanted.has(one.event_id) && one.status !== 'delivered'))
    await announced(attemptsRecorded, ({ attempts }) =>
      attempts.some(({ deliveryId, delivered }) => deliveryId === id && delivered),
    );
  // Otherwise nothing was seen of what a kill costs.
  for (const [where, times] of Object.entries(found)) expect([where, times > 0]).toEqual([where, true]);
  expect(new Map(wanted.map((id) => [id, receiver.arrivals.get(id)]))).toEqual(
    new Map(wanted.map((id) => [id, 1 + (cutOff.get(id) ?? 0)])),
  );
  await expectConserved();
  const delivered = (await deliveries()).filter(({ status }) => status === 'delivered');
  expect(delivered.map(({ event_id: id }) => id).toSorted()).toEqual(wanted.toSorted());
});

/**
 * What a killed process had fetched comes again after its time to acknowledge. What is stored by now may have been stored by
 * a process that was killed before it announced that.
 */
async function untilStored(ids: readonly string[]): Promise<void> {
  const missing = new Set(ids);
  for (const { id } of await query<{ id: string }>(databaseUrl, 'select id from events')) missing.delete(id);
  if (missing.size === 0) return;
  await announced(eventsHandled, ({ service, events }) => {
    if (service === 'webhook-dispatcher') for (const { id } of events) missing.delete(id);
    return missing.size === 0;
  });
}

/** Each event has its position in its account's log, and the delivery that it names is there once. */
async function expectConserved(): Promise<void> {
  const stored = await query<{ id: string; account_id: string; sequence: number | null; delivery_ids: string[] }>(
    databaseUrl,
    'select id, account_id, sequence::int as sequence, delivery_ids from events order by account_id, sequence',
  );
  // Without a number are notices of the platform itself, such as that an endpoint was switched off.
  const logged = stored.filter(({ sequence }) => sequence !== null);
  expect(new Map(logged.map((event) => [event.id, event.account_id]))).toEqual(
    new Map([...published].map(([id, account]) => [id, account.id])),
  );
  for (const ofAccount of Map.groupBy(logged, (event) => event.account_id).values())
    expect(ofAccount.map(({ sequence }) => sequence)).toEqual(ofAccount.map((_, n) => n + 1));
  expect(logged.filter(({ delivery_ids: ids }) => ids.length !== 1)).toEqual([]);
  const named = stored.flatMap((event) => event.delivery_ids);
  expect((await deliveries()).map(({ id }) => id).toSorted()).toEqual(named.toSorted());
  const proved =
    'proved_accounts as p join account_logs as l on l.account_id = p.account_id and l.last_sequence = p.sequence';
  // The run that is under way may have begun before the last event was stored.
  await listen().announced(conservationProved, ({ isComplete }) => isComplete, 2);
  expect(await count(proved)).toBe(endpoints.length);
  const proofs = 'select sum(gap)::int as gap, sum(lost_events)::int as lost_events from conservation_runs';
  expect(await query(databaseUrl, proofs)).toEqual([{ gap: 0, lost_events: 0 }]);
}

/** PostgreSQL and then nats-server die while events flow, and come back. */
async function restartServers(pour: () => Promise<unknown>): Promise<void> {
  await Promise.all([pour(), atRandomMoments(1, 1_000, () => postgres.kill().then(() => postgres.start()))]);
  await Promise.all([pour(), atRandomMoments(1, 1_000, () => nats.kill().then(() => nats.start()))]);
}
