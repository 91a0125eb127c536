import type { EventData, EventDefinition, EventEnvelope } from '@app/contracts/define';
import type { PoolClient } from 'pg';

/** An event as a handler sees it: the envelope and what rode in its headers. */
export interface ReceivedEvent<Data> extends EventEnvelope<Data> {
  readonly requestId: string | null;
  readonly traceparent: string | undefined;
}

/** Runs work when the batch's transaction is committed, and never when it is rolled back. The work must not throw. */
export type OnCommit = (work: () => void) => void;

type Handle<Data> = (events: readonly ReceivedEvent<Data>[], client: PoolClient, onCommit: OnCommit) => Promise<void>;

export interface EventHandler {
  readonly definition: EventDefinition;
  readonly handle: Handle<never>;
  /**
   * Whether an event has an effect here. Others are acknowledged without a transaction and
   * without a row in the inbox: nothing of them could happen twice.
   */
  readonly concerns: (data: never) => boolean;
  /**
   * A batch that is not full waits so long for more: where no caller waits for the effect, many share one transaction. 0
   * unless given.
   */
  readonly lingerMs?: number;
  /**
   * Events worked on in one transaction; 250 unless given. More of them share its round trips, which cost most where the
   * process has much else to do.
   */
  readonly batchMax?: number;
}

/** Handlers whose effects no caller waits for: at 200 events a second four share a transaction. */
export const unhurried = (handlers: readonly EventHandler[]): EventHandler[] =>
  handlers.map((handler) => ({ ...handler, lingerMs: 20 }));

/**
 * Handles one kind of event. The function gets the events of one batch that are new here, in stream order, and
 * the client whose transaction also records them in the inbox: its writes happen exactly once.
 * @param concerns whether an event has an effect here; each has, unless given
 */
export function onEvent<E extends EventDefinition>(
  definition: E,
  handle: Handle<EventData<E>>,
  concerns: (data: EventData<E>) => boolean = () => true,
): EventHandler {
  return { definition, handle: handle as EventHandler['handle'], concerns: concerns as EventHandler['concerns'] };
}
