import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { invalidField } from '@app/contracts/validation';
import type * as contract from '@app/contracts/webhook-deliveries';
import type { WebhookEventName } from '@app/contracts/webhooks';
import { type Database, statement } from '@app/service-kit/database';
import { withOne } from '@app/service-kit/planner';

/** What an event is besides its body, in bytes of JSON: its names, numbers and times are less than half of it. */
const besideBodyBytes = 512;
/**
 * Numbers are given in the order of the commits (events/store-events.ts), so a reader that has seen one never finds a smaller
 * one later. A body may be 600 KB long, so a page ends early where the bodies so far fill it; a body alone always fits.
 * Of one that is left out only the length is read.
 */
const pageStatement = (name: string, range: string, order: string) =>
  statement<EventRow>(
    name,
    `select id, sequence, name, occurred_at, test, fits, case when fits then body end as body from (
       select v.*, b.body, v.position = 1
         or sum(coalesce(octet_length(b.body), 4) + ${besideBodyBytes}) over (order by v.position) <= $4 as fits
       from (
         select id, sequence, name, occurred_at, test, row_number() over (order by ${order}) as position from events
         where account_id = $1 and ${range} order by ${order} limit $3) v
       ${withOne('select body from event_bodies where event_id = v.id and account_id = $1', 'b')}) v
     order by v.position`,
    {
      id: 'text',
      sequence: 'int8',
      name: 'text',
      occurred_at: 'timestamptz',
      test: 'bool',
      fits: 'bool',
      body: 'text',
    },
  );
const pages = {
  asc: pageStatement('events-page', 'sequence > $2', 'sequence'),
  desc: pageStatement('events-page-back', 'sequence < $2', 'sequence desc'),
} as const;
const sequenceStatement = statement<{ sequence: number | null }>(
  'events-sequence',
  'select sequence from events where account_id = $1 and id = $2',
  { sequence: 'int8' },
);

const whatToUse =
  'test sends and self-tests are in no log. Use the last id that you have read here, or leave it out to begin with the oldest';
const unknown = `must be the id of an event of this account: ${whatToUse}`;
const notInLog = `must be the id of an event, and this one is of a test send or of an email to the seller: ${whatToUse}`;

interface EventRow {
  readonly id: string;
  readonly sequence: number;
  readonly name: WebhookEventName;
  readonly occurred_at: Date;
  readonly test: boolean;
  /** Whether it and all before it fit in a page. */
  readonly fits: boolean;
  readonly body: string | null;
}

/**
 * Lists the account's events in the order in which they were committed, or backwards, fewer than `limit` where their bodies are
 * long. Test sends and notices by email are none of them.
 * @throws DomainError validation_failed when `after` or `before` is no event of the account, or does not go with the order
 */
export async function listEvents(
  database: Database,
  accountId: string,
  { after, before, order = 'asc', limit = limits.listMax }: RequestInput<typeof contract.listEvents>,
): Promise<RequestOutput<typeof contract.listEvents>> {
  if (order === 'asc' && before !== undefined) throw invalidField('before', 'needs `order=desc`');
  if (order === 'desc' && after !== undefined) throw invalidField('after', 'needs `order=asc`');
  const seen =
    order === 'asc'
      ? await sequenceOf(database, accountId, 'after', after, 0)
      : await sequenceOf(database, accountId, 'before', before, Number.MAX_SAFE_INTEGER);
  const { rows } = await database.pool.query(pages[order]([accountId, seen, limit + 1, limits.pageBytes]));
  const page = rows.slice(0, limit).filter(({ fits }) => fits);
  const data = page.map((row) => ({
    id: row.id,
    sequence: row.sequence,
    event: row.name,
    occurred_at: row.occurred_at.toISOString(),
    test: row.test,
    payload: row.body === null ? null : JSON.parse(row.body),
  }));
  return { data, has_more: rows.length > page.length };
}

/** @param otherwise where no id is given */
async function sequenceOf(
  { pool }: Database,
  accountId: string,
  field: 'after' | 'before',
  id: string | undefined,
  otherwise: number,
): Promise<number> {
  if (id === undefined) return otherwise;
  const { rows } = await pool.query(sequenceStatement([accountId, id]));
  if (rows[0] === undefined) throw invalidField(field, unknown, 'unknown_id');
  if (rows[0].sequence === null) throw invalidField(field, notInLog, 'unknown_id');
  return rows[0].sequence;
}
