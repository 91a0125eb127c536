import { type Database, statement } from '@app/service-kit/database';
import { createBodySeal } from './sealed-body.ts';

export interface RecordKey {
  readonly accountId: string;
  readonly key: string;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export type Reservation =
  | { kind: 'run'; commandId: string }
  | { kind: 'done'; answer: StoredAnswer }
  | { kind: 'in-use' }
  | { kind: 'reused' };

/** Answers under their Idempotency-Key. A request costs it two statements: one before, one after. */
export interface IdempotencyStore {
  /** `commandId` is for a new record; a record whose first request died keeps its own. */
  reserve(record: RecordKey, fingerprint: Buffer, commandId: string, now: Date): Promise<Reservation>;
  complete(record: RecordKey, answer: { status: number; body: Uint8Array }): Promise<void>;
  /** The next request under the key goes on at once, with the same command id. */
  release(record: RecordKey): Promise<void>;
  forget(record: RecordKey): Promise<void>;
}

/**
 * How long a request may be at work before another takes its key over: longer than the requester's 20 s for a lost
 * command and the 5 s of its last try. Real time, of the one database: the test clock does not kill requests.
 */
const leaseSeconds = 30;

// The insert waits for another insert of the same key, but the second half does not see that one's row: then no row
// comes back, and asking again finds it.
const reserve = statement(
  'idempotency-reserve',
  `with reserved as (
     insert into idempotency_records as r (account_id, key, fingerprint, command_id, lease_until, created_at)
     values ($1, $2, $3, $4, now() + interval '${leaseSeconds} seconds', $5)
     on conflict (account_id, key) do update set lease_until = excluded.lease_until
       where r.status is null and r.lease_until <= now() and r.fingerprint = excluded.fingerprint
     returning command_id
   )
   select true as reserved, command_id, null::bytea as fingerprint, null::smallint as status, null::bytea as response
   from reserved
   union all
   select false, command_id, fingerprint, status, response from idempotency_records
   where account_id = $1 and key = $2 and not exists (select from reserved)`,
);

const complete = statement(
  'idempotency-complete',
  `update idempotency_records set status = $3, response = $4 where account_id = $1 and key = $2 and status is null`,
);

const release = statement(
  'idempotency-release',
  `update idempotency_records set lease_until = '-infinity' where account_id = $1 and key = $2 and status is null`,
);

const forget = statement(
  'idempotency-forget',
  `delete from idempotency_records where account_id = $1 and key = $2 and status is null`,
);

interface Row {
  readonly reserved: boolean;
  readonly command_id: string;
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly response: Buffer;
}

const boundTo = (record: RecordKey): string => `${record.accountId} ${record.key}`;

export function createIdempotencyStore(database: Database, secret: string): IdempotencyStore {
  const { pool } = database;
  const seal = createBodySeal(secret);
  return {
    reserve: async (record, fingerprint, commandId, now) => {
      const values = [record.accountId, record.key, fingerprint, commandId, now];
      let { rows } = await pool.query<Row>(reserve(values));
      if (rows.length === 0) ({ rows } = await pool.query<Row>(reserve(values)));
      const [row] = rows;
      if (row === undefined) return { kind: 'in-use' };
      if (row.reserved) return { kind: 'run', commandId: row.command_id };
      if (!row.fingerprint.equals(fingerprint)) return { kind: 'reused' };
      if (row.status === null) return { kind: 'in-use' };
      return { kind: 'done', answer: { status: row.status, body: seal.open(row.response, boundTo(record)) } };
    },
    complete: async (record, { status, body }) => {
      await pool.query(complete([record.accountId, record.key, status, seal.seal(body, boundTo(record))]));
    },
    release: async (record) => {
      await pool.query(release([record.accountId, record.key]));
    },
    forget: async (record) => {
      await pool.query(forget([record.accountId, record.key]));
    },
  };
}
