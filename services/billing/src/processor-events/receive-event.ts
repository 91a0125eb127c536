import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { receiveProcessorEvent as contract } from '@app/contracts/processor-events';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { ProcessorSecrets } from '../processors/processor-secrets.ts';
import { webhookSecrets } from '../processors/settings/webhook-secrets.ts';
import { readEvent } from './event-content.ts';
import { storeEvent } from './event-rows.ts';
import { isSigned } from './signature.ts';

export interface ReceivingDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secrets: ProcessorSecrets;
  /** Whether something handles events of this type about such an object: others are not stored. */
  readonly handles: (type: string, objectKind: string) => boolean;
  /** Called after an event was stored. */
  readonly wake: () => void;
}

/** An account without a secret takes as long as one with it. */
const nobodysSecret = { secret: 'whsec_of_no_account' };

/** Takes an event of Stripe, once. What is not signed with a secret of the account, or is of another mode than that, is not taken. */
export async function receiveEvent(
  deps: ReceivingDeps,
  accountId: string,
  { processor, body, signature }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const bytes = Buffer.from(body, 'base64');
  const known = await webhookSecrets(deps.database, deps.secrets, { accountId, processor }, (err) =>
    deps.logger.error({ err, accountId }, 'a webhook secret cannot be decrypted: was SECRETS_KEY changed?'),
  );
  const signed = (known.length === 0 ? [nobodysSecret] : known).filter(({ secret }) =>
    isSigned(bytes, signature, secret, Date.now()),
  );
  const from = known.find((one) => signed.includes(one));
  if (from === undefined) return { accepted: false };
  const event = readEvent(bytes, accountId);
  if (event !== undefined && event.test !== from.test) return { accepted: false };
  const isHandled = event !== undefined && deps.handles(event.type, event.objectKind);
  await storeEvent(deps.database, from, isHandled ? event : null, deps.clock.now());
  if (isHandled) deps.wake();
  return { accepted: true };
}
