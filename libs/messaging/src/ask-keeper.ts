import type { EventDefinition } from '@app/contracts/define';
import { TimeoutError } from '@nats-io/transport-node';
import { z } from 'zod';
import type { NatsClient } from './connect.ts';
import { keeperSubjects } from './names.ts';

/**
 * What is asked of the keeper. nats-server can be made to publish its own answers at these subjects (`{"stream":…,"seq":1}`,
 * an event): neither has such a shape.
 */
export const renewRequest = z.strictObject({ past: z.int().min(0) });
/** `since` is null when the replay is over. */
export const replayRequest = z.strictObject({ event: z.string(), since: z.iso.datetime().nullable() });

/** The request itself is `undefined` where it took effect. */
export const keeperAnswer = z.object({ error: z.string().optional(), pending: z.int().optional() });
type KeeperAnswer = z.output<typeof keeperAnswer>;

/** Longer than the keeper takes; one that is away is asked again by whoever needs it. */
const answersWithinMs = 2_000;

async function askKeeper(nats: NatsClient, subject: string, body: unknown, withinMs: number): Promise<KeeperAnswer> {
  const reply = await nats.connection.request(subject, JSON.stringify(body), { timeout: withinMs }).catch((err) => {
    if (err instanceof TimeoutError) throw new Error('the keeper of the streams does not answer: does it run?');
    throw err;
  });
  const answer = keeperAnswer.parse(reply.json());
  if (answer.error !== undefined) throw new Error(`the keeper of the streams refused: ${answer.error}`);
  return answer;
}

/**
 * Has the durables of this service's own stream that are past a sequence number made anew, and the stream too where it
 * is missing.
 * @throws Error when the keeper is away, or nats-server did not answer it; asking again does no harm
 */
export async function renewOwnDurables(nats: NatsClient, past: number): Promise<void> {
  await askKeeper(nats, keeperSubjects(nats.service).renew, { past }, answersWithinMs);
}

const replayAnswersWithinMs = 10_000;

/**
 * Has the consumer of a replay made.
 * @returns how many events it will deliver
 * @throws Error when the keeper is away, or another replay of the same events is running
 */
export async function beginReplay(nats: NatsClient, { subject: event }: EventDefinition, since: Date): Promise<number> {
  const body: z.input<typeof replayRequest> = { event, since: since.toISOString() };
  const { pending = 0 } = await askKeeper(nats, keeperSubjects(nats.service).replay, body, replayAnswersWithinMs);
  return pending;
}

export async function endReplay(nats: NatsClient, { subject: event }: EventDefinition): Promise<void> {
  const body: z.input<typeof replayRequest> = { event, since: null };
  await askKeeper(nats, keeperSubjects(nats.service).replay, body, replayAnswersWithinMs);
}
