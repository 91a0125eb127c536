import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { isOutage } from '@app/service-kit/outages';
import { createSemaphore } from '@app/service-kit/semaphore';
import { processorEventHandled } from '../points/points.ts';
import type { EventDeps } from './event-deps.ts';
import { claimEvents, endEvent, isLastAttempt, type ProcessorEvent } from './event-rows.ts';
import { handlingOf } from './handlings.ts';

/** Nothing announces the time of a further attempt, nor what a replica received that died. */
const pollIntervalMs = 1_000;
const outagePauseMaxMs = 30_000;
/** Each waits for Stripe most of the time. */
const atOnce = 4;

/** Handles, in the background of each replica, the events that processors sent, each claimed by one of them. */
export function startEventsLoop(deps: EventDeps): BackgroundLoop {
  let failures = 0;
  const loop = startLoop({
    name: 'billing.processor-events',
    held: () => deps.processorCalls.isHeld(),
    round: async (isClosing) => {
      failures += 1;
      const handled = await handleDue(deps, isClosing);
      failures = 0;
      if (handled > 0) loop.wake();
    },
    pauseMs: () => Math.min(outagePauseMaxMs, pollIntervalMs * 2 ** Math.min(failures, 5)),
    onFailure: (err) => deps.logger.warn({ err }, 'events of payment processors could not be handled; retrying'),
  });
  return loop;
}

/** @returns how many were due. @throws Error when the database does not answer */
async function handleDue(deps: EventDeps, isClosing: () => boolean = () => false): Promise<number> {
  const events = await claimEvents(deps.database, deps.clock.now());
  const semaphore = createSemaphore(atOnce);
  let outage: unknown;
  const handle = async (event: ProcessorEvent): Promise<void> => {
    if (isClosing() || outage !== undefined) return;
    try {
      await handleEvent(deps, event);
    } catch (err) {
      if (isOutage(err)) outage = err;
      else logFailure(deps, event, err);
    }
  };
  await Promise.all(events.map((event) => semaphore.run(() => handle(event))));
  if (outage !== undefined) throw outage;
  return events.length;
}

async function handleEvent(deps: EventDeps, event: ProcessorEvent): Promise<void> {
  const handling = handlingOf(event.type, event.object_kind);
  const result = handling === undefined ? 'done' : await handling.handle(deps, event);
  if (result === 'done') await endEvent(deps.database, event, deps.clock.now());
  else if (isLastAttempt(event)) logFailure(deps, event, undefined);
  processorEventHandled.announce(() => ({ eventId: event.event_id, result }));
}

function logFailure({ logger }: EventDeps, event: ProcessorEvent, err: unknown): void {
  const { account_id: accountId, event_id: eventId, type, object_id: objectId } = event;
  const fields = { ...(err !== undefined && { err }), accountId, eventId, type, objectId };
  if (isLastAttempt(event))
    logger.error(fields, 'an event of a payment processor was discarded after its last attempt');
  else logger.warn(fields, 'an event of a payment processor could not be handled; retrying');
}
