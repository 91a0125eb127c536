import type { ServiceName } from '@app/contracts/services';
import { definePoint } from '@app/service-kit/points';
import type { NatsName } from './names.ts';

interface OfService {
  readonly service: ServiceName;
}

/** A callee has read a request and begins to work on it. */
export const requestBegun = definePoint<
  OfService & { readonly subject: string; readonly accountId: string; readonly commandId: string }
>('messaging.request-begun');

/** A request came again while it is worked on here, and was dropped. */
export const requestDropped = definePoint<OfService & { readonly subject: string; readonly commandId: string }>(
  'messaging.request-dropped',
);

/** A request was read so late that its caller may have given up, and was dropped. */
export const requestLate = definePoint<OfService & { readonly subject: string; readonly commandId: string }>(
  'messaging.request-late',
);

/** The stream has the events of one batch, and their outbox rows say so. */
export const eventsPublished = definePoint<
  OfService & { readonly events: readonly { readonly id: string; readonly subject: string }[] }
>('messaging.events-published');

/** The effects of these events are committed, those of their redelivery too; what runs after the commit has been called. */
export const eventsHandled = definePoint<
  OfService & {
    readonly subject: string;
    readonly events: readonly { readonly id: string; readonly accountId: string; readonly data: unknown }[];
  }
>('messaging.events-handled');

/** The events failed and were sent back to the stream, which delivers them again. */
export const eventsSentBack = definePoint<OfService & { readonly ids: readonly string[]; readonly error: string }>(
  'messaging.events-sent-back',
);

/** The database did not take a batch: its consumer keeps it, fetches no more, and attempts it again after a pause. */
export const batchHeld = definePoint<OfService & { readonly failures: number }>('messaging.batch-held');

/** The events were given up, or failed again when they were replayed; they are dead letters. */
export const eventsGivenUp = definePoint<OfService & { readonly ids: readonly string[] }>('messaging.events-given-up');

/** A consumer has opened its durable and fetches. */
export const consumingBegan = definePoint<OfService & { readonly subject: string }>('messaging.consuming-began');

/** This replica publishes the outbox of its service from now on. */
export const leadingBegan = definePoint<OfService>('messaging.leading-began');

/** What the relay does as the leader failed: it begins anew after a pause, which a wake ends. */
export const publishingFailed = definePoint<OfService & { readonly error: string }>('messaging.publishing-failed');

/** The connection to NATS was lost (`up` is false) or restored. */
export const connectionChanged = definePoint<{ readonly service: NatsName; readonly up: boolean }>(
  'messaging.connection-changed',
);

/** The keeper has looked at all streams and their durables; `failed` names the streams that it could not keep. */
export const streamsKept = definePoint<{ readonly failed: readonly string[] }>('messaging.streams-kept');
