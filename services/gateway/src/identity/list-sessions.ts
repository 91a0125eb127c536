import type { sessionResource } from '@app/contracts/accounts';
import { limits, type PageQuery } from '@app/contracts/common';
import type { FactorMethod } from '@app/contracts/factors';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { type Page, pageOf, unknownBefore } from '@app/service-kit/paging';
import type { z } from 'zod';
import type { Actor } from './actors.ts';

interface SessionRow {
  readonly id: string;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly factor: FactorMethod | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date;
}

const page = statement<SessionRow>(
  'sessions-page',
  `select id, address, user_agent, factor, created_at, last_used_at, expires_at from sessions
   where user_id = $1 and expires_at > $2 and ($3::text is null or id < $3) order by id desc limit $4`,
  {
    address: 'text',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
    factor: 'text',
    id: 'text',
    last_used_at: 'timestamptz',
    user_agent: 'text',
  },
);

const known = statement('sessions-known', 'select from sessions where user_id = $1 and id = $2');

/** The sessions of the caller that have not ended, newest first. */
export async function listSessions(
  { database: { pool }, clock }: { readonly database: Database; readonly clock: Clock },
  { userId, sessionId }: Actor,
  query: PageQuery,
): Promise<Page<z.output<typeof sessionResource>>> {
  const { before = null, limit = limits.listMax } = query;
  if (before !== null && (await pool.query(known([userId, before]))).rowCount === 0) throw unknownBefore();
  const { rows } = await pool.query(page([userId, clock.now(), before, limit + 1]));
  const { data, ...rest } = pageOf(rows, query);
  const resources = data.map(({ created_at, last_used_at, expires_at, ...row }) => ({
    ...row,
    current: row.id === sessionId,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
    expires_at: expires_at.toISOString(),
  }));
  return { data: resources, ...rest };
}
