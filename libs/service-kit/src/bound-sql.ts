import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction } from 'kysely';

/**
 * Runs a statement with real parameters in the entity manager's transaction. `em.execute` writes values into the SQL
 * text, character by character: a megabyte of payload would cost hundreds of megabytes of memory.
 * @param sql with `$1`, `$2`, …
 */
export async function executeBound<Row>(em: EntityManager, sql: string, values: unknown[]): Promise<Row[]> {
  const transaction = em.getTransactionContext<Transaction<unknown>>();
  if (transaction === undefined) throw new Error('this statement belongs to a transaction');
  return (await transaction.executeQuery<Row>(CompiledQuery.raw(sql, values))).rows;
}
