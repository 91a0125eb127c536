import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction } from 'kysely';
import type pg from 'pg';
import type { StatementQuery } from './database.ts';

/**
 * Runs a statement with real parameters in the entity manager's transaction. `em.execute` writes values into the SQL
 * text, character by character: a megabyte of payload would cost hundreds of megabytes of memory.
 * @param query of a `statement`, so that it is proved as those of the pool are
 */
export async function executeBound<Row extends object>(em: EntityManager, query: StatementQuery<Row>): Promise<Row[]>;
export async function executeBound(em: EntityManager, query: pg.QueryConfig): Promise<object[]>;
export async function executeBound(em: EntityManager, { text, values = [] }: pg.QueryConfig): Promise<object[]> {
  const transaction = em.getTransactionContext<Transaction<unknown>>();
  if (transaction === undefined) throw new Error('this statement belongs to a transaction');
  return (await transaction.executeQuery<object>(CompiledQuery.raw(text, values))).rows;
}
