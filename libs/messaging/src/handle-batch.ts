import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';
import type { JsMsg } from '@nats-io/jetstream';
import { givenUpBefore, giveUpEvents, letterOf } from './dead-letters.ts';
import { addAttempt, addAttemptUnlessSuspect, forgetAttempts } from './event-attempts.ts';
import type { EventHandler, ReceivedEvent } from './event-handler.ts';
import { headersOf, messageId } from './message.ts';
import type { MessageBuffer } from './message-buffer.ts';
import { InterruptedError, type OutageRetry } from './outage-retry.ts';
import { eventsGivenUp, eventsHandled, eventsSentBack } from './points.ts';
import { attemptsMax, decide, outagesMax } from './retry-policy.ts';
import { announcedOf, type ConsumerDeps, readEvent, takeEffect } from './take-effect.ts';

export interface BatchRun extends ConsumerDeps {
  readonly handler: EventHandler;
  readonly logger: Logger;
  readonly outageRetry: OutageRetry;
  readonly buffer: Pick<MessageBuffer, 'ack' | 'retry'>;
  /** See `ConsumerTiming`. */
  readonly retryMs: number;
}

/** A message under work. `attempts` counts this attempt when it was written down before, and is undefined for a first one. */
interface Delivery {
  readonly message: JsMsg;
  readonly attempts: number | undefined;
}

interface Readable extends Delivery {
  readonly event: ReceivedEvent<never>;
}

interface Failure {
  readonly delivery: Delivery;
  readonly err: unknown;
}

/**
 * Handles messages together in one transaction. When that fails, each is handled alone, so that one bad event
 * costs the others nothing but a second attempt; one that keeps failing is not put among others any more. While the
 * database is away the batch stays in the buffer. Resolves when each message is acknowledged or sent back, or when the consumer closes.
 */
export async function handleBatch(run: BatchRun, messages: readonly JsMsg[]): Promise<void> {
  try {
    const { together, alone } = await begin(run, messages);
    const failures = await handleTogether(run, together);
    for (const delivery of alone) failures.push(...(await handleSuspect(run, delivery)));
    await retryOrGiveUp(run, failures);
  } catch (err) {
    if (!(err instanceof InterruptedError)) throw err;
  }
}

/** Writes down the attempts of what comes again, before they are begun. */
async function begin(
  { database, outageRetry }: BatchRun,
  messages: readonly JsMsg[],
): Promise<{ together: Delivery[]; alone: Delivery[] }> {
  const deliveries = messages.map((message) => ({ message, attempts: undefined }));
  const again = idsOf(deliveries.filter(({ message }) => message.redelivered));
  if (again.length === 0) return { together: deliveries, alone: [] };
  const attempts = await outageRetry.retryAlways(() => addAttemptUnlessSuspect(database.pool, again));
  const known = deliveries.map((delivery) => ({ ...delivery, attempts: attempts.get(idOf(delivery)) }));
  const isSuspect = ({ message, attempts }: Delivery): boolean => message.redelivered && attempts === undefined;
  return { together: known.filter((delivery) => !isSuspect(delivery)), alone: known.filter(isSuspect) };
}

async function handleTogether(run: BatchRun, deliveries: readonly Delivery[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  const readable = deliveries.flatMap((delivery) => read(run, delivery, failures));
  if (readable.length === 0) return failures;
  try {
    await applyAndAck(run, readable);
    return failures;
  } catch (err) {
    if (err instanceof InterruptedError) throw err;
    if (readable.length === 1) return [...failures, { delivery: readable[0] as Readable, err }];
  }
  return [...failures, ...(await handleEach(run, readable))];
}

/** Reads a message; one that does not concern the service is acknowledged at once. */
function read({ service, handler, buffer }: BatchRun, delivery: Delivery, failures: Failure[]): Readable[] {
  const { message } = delivery;
  try {
    const event = readEvent(handler, message.string(), () => headersOf(message));
    // Attempts that were written down are forgotten in a transaction, as those of any event.
    if (isWritten(delivery) || handler.concerns(event.data)) return [{ ...delivery, event }];
    buffer.ack(message);
    const { subject } = handler.definition;
    eventsHandled.announce(() => ({ service, subject, events: [announcedOf(event)] }));
    return [];
  } catch (err) {
    failures.push({ delivery, err });
    return [];
  }
}

async function handleEach(run: BatchRun, deliveries: readonly Readable[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  let outages = 0;
  for (const [index, delivery] of deliveries.entries()) {
    try {
      await applyAndAck(run, [delivery]);
      outages = 0;
    } catch (err) {
      if (err instanceof InterruptedError) throw err;
      failures.push({ delivery, err });
      outages = isOutage(err) ? outages + 1 : 0;
      if (outages === outagesMax)
        return [...failures, ...deliveries.slice(index + 1).map((rest) => ({ delivery: rest, err }))];
    }
  }
  return failures;
}

/** Takes effect and acknowledges. */
async function applyAndAck(run: BatchRun, deliveries: readonly Readable[]): Promise<void> {
  const { handler, outageRetry, buffer } = run;
  const counted = idsOf(deliveries.filter(isWritten));
  const events = deliveries.map(({ event }) => event);
  await outageRetry.retryOutage(() => takeEffect(run, handler, events, (client) => forgetAttempts(client, counted)));
  for (const { message } of deliveries) buffer.ack(message);
}

/** An event that failed several times already, or was in a buffer when the process ended. */
async function handleSuspect(run: BatchRun, delivery: Delivery): Promise<Failure[]> {
  const { database, outageRetry } = run;
  const attempts =
    (await outageRetry.retryAlways(() => addAttempt(database.pool, idsOf([delivery])))).get(idOf(delivery)) ?? 1;
  const suspect = { ...delivery, attempts };
  // The last attempt wrote down neither a success nor a failure.
  if (attempts > attemptsMax)
    return [{ delivery: suspect, err: new Error(`the process ended while handling it; tried ${attemptsMax} times`) }];
  return await handleTogether(run, [suspect]);
}

async function retryOrGiveUp(run: BatchRun, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return;
  const { database, outageRetry, retryMs } = run;
  const outages = failures.filter(({ err }) => isOutage(err)).map(deliveryOf);
  const faults = failures.filter(({ err }) => !isOutage(err)).map(deliveryOf);
  await outageRetry.retryAlways(() => forgetAttempts(database.pool, idsOf(outages.filter(isWritten))));
  const messages = faults.map(({ message }) => message);
  const before = await outageRetry.retryAlways(() => givenUpBefore(database, messages));
  const isKept = ({ message }: Delivery): boolean => before.has(message);
  await acknowledgeKept(
    run,
    failures.filter(({ delivery }) => isKept(delivery)),
  );
  const first = faults.filter((delivery) => !isKept(delivery) && !isWritten(delivery));
  const counted = await outageRetry.retryAlways(() => addAttempt(database.pool, idsOf(first)));
  const open = failures.filter(({ delivery }) => !isKept(delivery));
  const decided = open.map((failure) => {
    const attempts = failure.delivery.attempts ?? counted.get(idOf(failure.delivery)) ?? 1;
    return { ...failure, attempts, verdict: decide(failure.err, attempts, retryMs) };
  });
  await giveUp(
    run,
    decided.filter(({ verdict }) => verdict.kind === 'dead-letter'),
  );
  tryAgain(run, decided);
}

/**
 * They are dead letters already: a nats-server that was killed has forgotten the newest acknowledgements. Nothing is written but
 * that their attempts end, so that a replay may end their letters meanwhile.
 */
async function acknowledgeKept(
  { database, outageRetry, buffer, logger }: BatchRun,
  failures: readonly Failure[],
): Promise<void> {
  const [example] = failures;
  if (example === undefined) return;
  const deliveries = failures.map(deliveryOf);
  await outageRetry.retryAlways(() => forgetAttempts(database.pool, idsOf(deliveries)));
  const { err, delivery } = example;
  logger.warn(
    { err, eventId: idOf(delivery), events: failures.length },
    'events that were given up before failed again',
  );
  for (const { message } of deliveries) buffer.ack(message);
}

const deliveryOf = ({ delivery }: Failure): Delivery => delivery;

/** In the headers, which are not read while all goes well. */
const idOf = ({ message }: Delivery): string => messageId(message);

const idsOf = (deliveries: readonly Delivery[]): string[] => deliveries.map(idOf);

const isWritten = ({ attempts }: Delivery): boolean => attempts !== undefined;

type Decided = Failure & { readonly attempts: number; readonly verdict: ReturnType<typeof decide> };

/** One line for a batch: a fault of the code meets every event. */
function tryAgain({ service, buffer, logger }: BatchRun, decided: readonly Decided[]): void {
  const again = decided.filter(({ verdict }) => verdict.kind === 'retry');
  const [example] = again;
  if (example === undefined) return;
  const { err, attempts, delivery } = example;
  logger.warn({ err, attempts, eventId: idOf(delivery), events: again.length }, 'events failed; they will be retried');
  for (const { delivery, verdict } of again) {
    if (verdict.kind === 'retry') buffer.retry(delivery.message, verdict.delayMs);
  }
  eventsSentBack.announce(() => ({ service, ids: again.map(({ delivery }) => idOf(delivery)), error: String(err) }));
}

async function giveUp(
  { service, database, outageRetry, buffer, logger }: BatchRun,
  decided: readonly Decided[],
): Promise<void> {
  const [example] = decided;
  if (example === undefined) return;
  const letters = decided.map(({ delivery, err }) => letterOf(delivery.message, err));
  await outageRetry.retryAlways(() => giveUpEvents(database, letters));
  const { err, attempts, delivery } = example;
  logger.error({ err, attempts, eventId: idOf(delivery), events: decided.length }, 'events discarded to dead_letters');
  for (const { delivery } of decided) buffer.ack(delivery.message);
  eventsGivenUp.announce(() => ({ service, ids: letters.map(({ event_id }) => event_id) }));
}
