import type { Logger } from '@app/service-kit/logger';
import { forgetRecipients } from '../automations/emails-to-recipient.ts';
import { expireRecoveries } from '../repair/expire-recoveries.ts';
import { dropExpiredPartitions } from '../storage/drop-partitions.ts';
import { giveUpWaiting, type RetentionStorage } from './give-up-waiting.ts';

/**
 * Gives up deliveries whose body is about to expire, and then drops what is expired. Each step runs, also after one that
 * failed: personal data must not outlive its time because of another step.
 * @throws AggregateError with what the steps threw
 */
export async function applyRetention(
  storage: RetentionStorage & { readonly logger: Logger },
  isClosing = () => false,
): Promise<void> {
  const failures: unknown[] = [];
  for (const step of [
    () => giveUpWaiting(storage, isClosing),
    () => dropExpiredPartitions(storage),
    () => expireRecoveries(storage.database, storage.clock),
    () => forgetRecipients(storage.database, storage.clock),
  ])
    if (!isClosing()) await step().catch((err: unknown) => failures.push(err));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}
