import { z } from 'zod';
import type { Fact } from '../ledger/facts.rules.ts';
import { paymentsNamedIn } from '../processors/stripe/stripe-objects.ts';
import { intentFactOf } from './intent-fact.ts';

/** The last second that a row can hold and people read as a date: of the year 9999. */
const latestS = 253_402_300_799;

/** Shapes follow the version of the account that made the endpoint: only what all versions have is read. */
const eventShape = z.object({
  id: z.string().regex(/^evt_\w{1,200}$/),
  type: z.string().max(200),
  livemode: z.boolean(),
  created: z.int().min(0).max(latestS).catch(0),
  data: z.object({
    object: z.looseObject({
      id: z.string().regex(/^\w{1,200}$/),
      object: z.string().max(100),
      payment_intent: z
        .string()
        .regex(/^pi_\w{1,200}$/)
        .nullish()
        .catch(null),
      metadata: z.record(z.string(), z.string()).nullish().catch(null),
    }),
  }),
});

/** What an event says to read. */
export interface EventContent {
  readonly id: string;
  readonly type: string;
  readonly test: boolean;
  readonly objectKind: string;
  /** Of a fraud warning that of the payment: reading the warning itself would need one permission more. */
  readonly objectId: string;
  /** Payments of the account that the object names: ours has made it. */
  readonly paymentIds: readonly string[];
  /** What happened, where the event tells that by itself; of a refund the object is read. */
  readonly fact: Fact | undefined;
}

export const fraudWarning = 'radar.early_fraud_warning';

/** Undefined for what is no event of Stripe, or about an object without an id, as a balance. */
export function readEvent(body: Buffer, accountId: string): EventContent | undefined {
  const { success, data: event } = eventShape.safeParse(parsed(body));
  if (!success) return undefined;
  const { id, object: objectKind, metadata, payment_intent: intent } = event.data.object;
  const objectId = objectKind === fraudWarning ? (intent ?? id) : id;
  const paymentIds = paymentsNamedIn({ accountId }, metadata ?? null);
  const { type, created: createdS } = event;
  const fact =
    objectKind === 'payment_intent'
      ? intentFactOf(accountId, { type, createdS, object: event.data.object })
      : undefined;
  return { id: event.id, type, test: !event.livemode, objectKind, objectId, paymentIds, fact };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
