import { DomainError } from '@app/contracts/errors';
import { runCommandOnce } from '@app/messaging/run-command-once';
import type { Database } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Runs a command's work in one transaction, at most once for the command's id. What the work changed of entities is written at its end, by
 * `runCommandOnce`. A violated unique constraint becomes the
 * error code it stands for: a look-up before the write would not see the uncommitted row of another transaction.
 */
export async function runCommand<T extends object>(
  database: Database,
  commandId: string,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    return await runCommandOnce(database.fork(), commandId, work);
  } catch (err) {
    throw violationOf(err) ?? err;
  }
}

function violationOf(err: unknown): DomainError | undefined {
  switch ((err as { constraint?: unknown } | null)?.constraint) {
    case 'products_slug_unique':
      return new DomainError('slug_taken', 'Another product of this account has this slug.');
    case 'funnel_emails_position_unique':
      return new DomainError('position_taken', 'Another email of this product has this position.');
    case 'discounts_code_unique':
      return new DomainError('code_taken', 'Another discount of this product has this code.');
    default:
      return undefined;
  }
}
