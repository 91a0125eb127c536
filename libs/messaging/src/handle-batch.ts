import { inBatchSpan } from '@app/service-kit/tracing';
import type { JsMsg } from '@nats-io/jetstream';
import { SpanKind } from '@opentelemetry/api';
import type { PoolClient } from 'pg';
import { z } from 'zod';
import { decide, isOutage, mayBeOneEvent, PoisonEvent } from './retry-policy.ts';
import { batchSpan, consumeSpan } from './spans.ts';
import type { ConsumerOptions, OnCommit, ReceivedEvent, Subscription } from './subscription.ts';

export interface ConsumerRun extends ConsumerOptions {
  /**
   * How often events failed by themselves, by their place in the stream; forgotten with success. Deliveries are no
   * measure: outages and replicas that died add to those. Each replica counts for itself, so an event may be tried
   * more often.
   */
  readonly failures: Map<number, number>;
}

interface Parsed {
  readonly message: JsMsg;
  readonly event: ReceivedEvent<never>;
  readonly subscription: Subscription;
}

/**
 * Handles messages together in one transaction. When that fails, each is handled alone, so that one bad event
 * costs the others nothing but a second try. Messages of kinds nobody here subscribed to are acknowledged.
 */
export async function handleBatch(options: ConsumerRun, messages: readonly JsMsg[]): Promise<void> {
  const parsed = await readAll(options, messages);
  if (parsed.length === 0) return;
  try {
    await takeEffect(options, parsed);
    for (const { message } of parsed) message.ack();
  } catch (err) {
    const alone = parsed.length > 1 && mayBeOneEvent(err);
    for (const entry of parsed)
      await (alone ? handleAlone(options, entry) : settleFailure(options, entry.message, err));
  }
}

async function readAll(options: ConsumerRun, messages: readonly JsMsg[]): Promise<Parsed[]> {
  const parsed: Parsed[] = [];
  for (const message of messages) {
    const subscription = options.subscriptions.find((entry) => entry.definition.subject === message.subject);
    if (subscription === undefined) {
      message.ack();
      continue;
    }
    try {
      parsed.push({ message, subscription, event: parse(subscription, message) });
    } catch (err) {
      await settleFailure(options, message, err);
    }
  }
  return parsed;
}

async function handleAlone(options: ConsumerRun, entry: Parsed): Promise<void> {
  try {
    await takeEffect(options, [entry]);
    options.failures.delete(entry.message.seq);
    entry.message.ack();
  } catch (err) {
    await settleFailure(options, entry.message, err);
  }
}

const envelope = z.object({ id: z.string(), accountId: z.string(), occurredAt: z.string(), data: z.unknown() });

/** Unknown fields are dropped, so that an older consumer survives a newer producer. */
function parse(subscription: Subscription, message: JsMsg): ReceivedEvent<never> {
  try {
    const { data, ...rest } = envelope.parse(message.json());
    return {
      ...rest,
      data: subscription.definition.data.parse(data) as never,
      requestId: message.headers?.get('request-id') || null,
      traceparent: message.headers?.get('traceparent') || undefined,
    };
  } catch (err) {
    throw new PoisonEvent(`${message.subject} cannot be read: ${(err as Error).message}`);
  }
}

const insertInbox = {
  name: 'inbox-insert',
  text: `insert into inbox (event_id) select unnest($1::text[]) as id order by id
    on conflict do nothing returning event_id`,
};

/** One transaction: the inbox rows of the events that are new here, and their effects. */
async function takeEffect(options: ConsumerRun, entries: readonly Parsed[]): Promise<void> {
  const { name, attributes } = batchSpan(options.source, entries.length);
  const items = entries.map(({ message, event }) => consumeSpan(message.subject, options.link.service, event));
  const span = { service: options.link.service, kind: SpanKind.CONSUMER, attributes, items };
  await inBatchSpan(name, span, async (traceparents) => {
    const committed: (() => void)[] = [];
    await options.database.transaction(async (client) => {
      const ids = [...new Set(entries.map((entry) => entry.event.id))];
      const { rows } = await client.query<{ event_id: string }>({ ...insertInbox, values: [ids] });
      const fresh = new Set(rows.map((row) => row.event_id));
      const traced = entries.map((entry, index) => withTrace(entry, traceparents[index]));
      const news = traced.filter((entry) => fresh.delete(entry.event.id));
      await handleInOrder(news, client, (work) => committed.push(work));
    });
    for (const work of committed) work();
  });
}

/** What an event brings about continues from its being consumed, not from its being published. */
function withTrace(entry: Parsed, traceparent: string | undefined): Parsed {
  return traceparent === entry.event.traceparent ? entry : { ...entry, event: { ...entry.event, traceparent } };
}

/** Neighbours of one kind go to their handler together; kinds keep their order in the stream. */
async function handleInOrder(entries: readonly Parsed[], client: PoolClient, onCommit: OnCommit): Promise<void> {
  let start = 0;
  while (start < entries.length) {
    const subscription = (entries[start] as Parsed).subscription;
    let end = start + 1;
    while (end < entries.length && entries[end]?.subscription === subscription) end += 1;
    await subscription.handle(
      entries.slice(start, end).map((entry) => entry.event),
      client,
      onCommit,
    );
    start = end;
  }
}

function countFailure({ failures }: ConsumerRun, seq: number, err: unknown): number {
  const tries = (failures.get(seq) ?? 0) + (isOutage(err) ? 0 : 1);
  if (tries > 0) failures.set(seq, tries);
  return Math.max(1, tries);
}

async function settleFailure(options: ConsumerRun, message: JsMsg, err: unknown): Promise<void> {
  const tries = countFailure(options, message.seq, err);
  const verdict = decide(err, tries);
  const about = { err, subject: message.subject, seq: message.seq, tries };
  if (verdict.kind === 'retry') {
    options.logger.warn({ ...about, delayMs: verdict.delayMs }, 'event will be tried again');
    message.nak(verdict.delayMs);
    return;
  }
  try {
    await bury(options, message, err);
    options.logger.error(about, 'event given up; kept in dead_letters');
    options.failures.delete(message.seq);
    message.term();
  } catch (buryErr) {
    options.logger.warn({ err: buryErr, subject: message.subject }, 'dead letter could not be kept; trying again');
    message.nak(5_000);
  }
}

async function bury(options: ConsumerRun, message: JsMsg, err: unknown): Promise<void> {
  const id = message.headers?.get('Nats-Msg-Id') || `${message.info.stream}-${message.seq}`;
  const reason = err instanceof Error ? `${err.name}: ${err.message}` : String(err);
  await options.database.pool.query(
    `insert into dead_letters (event_id, stream, subject, payload, error) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [id, message.info.stream, message.subject, message.string(), reason.slice(0, 2000)],
  );
}
