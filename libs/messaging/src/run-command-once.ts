import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';

const claimStatement = statement<{ id: string }>(
  'run-command-once-claim',
  'insert into commands (id) values ($1) on conflict do nothing returning id',
  { id: 'text' },
);
const resultStatement = statement<{ result: object }>(
  'run-command-once-result',
  'select result from commands where id = $1',
  { result: 'jsonb' },
);
const recordStatement = statement('run-command-once-record', 'update commands set result = $2::jsonb where id = $1');

/**
 * Runs a command's work at most once for its id, in one transaction with the work itself; a repeated command gets
 * the first result. A command that fails leaves nothing behind and may be sent again. Two at the same time: the
 * second waits for the first one's transaction, then reads its result.
 */
export async function runCommandOnce<T extends object>(
  em: EntityManager,
  commandId: string,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  return await em.transactional(async (tx) => {
    const claimed = await executeBound(tx, claimStatement([commandId]));
    if (claimed.length === 0) {
      const [row] = await executeBound(tx, resultStatement([commandId]));
      if (row === undefined) throw new Error(`command ${commandId} vanished`);
      return row.result as T;
    }
    const result = await work(tx);
    await tx.flush();
    await executeBound(tx, recordStatement([commandId, JSON.stringify(result)]));
    return result;
  });
}
