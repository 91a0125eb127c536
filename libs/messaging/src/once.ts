import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Runs a command's work at most once for its id, in one transaction with the work itself; a repeated command gets
 * the first result. A command that fails leaves nothing behind and may be sent again. Two at the same time: the
 * second waits for the first one's transaction, then reads its result.
 */
export async function once<T extends object>(
  em: EntityManager,
  commandId: string,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  return await em.transactional(async (tx) => {
    const claimed = await tx.execute<unknown[]>(
      'insert into commands (id) values (?) on conflict do nothing returning id',
      [commandId],
    );
    if (claimed.length === 0) {
      const [row] = await tx.execute<Array<{ result: T }>>('select result from commands where id = ?', [commandId]);
      if (row === undefined) throw new Error(`command ${commandId} vanished`);
      return row.result;
    }
    const result = await work(tx);
    await tx.flush();
    await tx.execute('update commands set result = ?::jsonb where id = ?', [JSON.stringify(result), commandId]);
    return result;
  });
}
