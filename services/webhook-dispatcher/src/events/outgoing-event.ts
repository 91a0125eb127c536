import type { builtInAutomations } from '@app/contracts/automations';
import type { TriggerName } from '@app/contracts/triggers';
import type { Priority } from '../deliveries/priority.rules.ts';

type BuiltInKey = (typeof builtInAutomations)[number];

/** An event in the form that receivers get. */
export interface OutgoingEvent {
  readonly id: string;
  readonly accountId: string;
  readonly name: TriggerName;
  readonly orderId: string | null;
  /** The buyer's address in the payload. */
  readonly email: string | null;
  readonly productId: string | null;
  readonly test: boolean;
  /** A processor that moves money took some for the order. */
  readonly charged?: boolean;
  /** A built-in automation that does not run for it, though it is triggered by events of the name. */
  readonly isNotFor?: BuiltInKey | undefined;
  readonly priority: Priority;
  /** Built once: every attempt signs and sends the same bytes. */
  readonly body: string;
  readonly traceparent: string | null;
  readonly occurredAt: string;
}
