import { createHmac, hkdfSync } from 'node:crypto';
import { type Database, statement } from '@app/service-kit/database';
import { liveLeaseOwners } from '@app/service-kit/lease-owner';
import { keptSince, leaseSeconds } from './idempotency.rules.ts';
import { createResponseBox } from './response-box.ts';

export interface RecordKey {
  readonly accountId: string;
  readonly key: string;
}

/** A record that a request is at work under, until its lease is over or its process dead. */
export interface Hold extends RecordKey {
  readonly commandId: string;
  /** Of this one request: who took the record over since has another. */
  readonly token: string;
  /** An earlier request under the command id ended with nobody knowing what became of it. */
  readonly retried: boolean;
}

export type Reservation =
  | { kind: 'run'; hold: Hold }
  | { kind: 'done'; body: Buffer }
  | { kind: 'in-use'; leaseLeftSeconds: number }
  | { kind: 'reused' };

/** Answers under their Idempotency-Key. A request costs it two statements: one before, one after. */
export interface IdempotencyStore {
  /** Digest of what is asked and by whom. Keyed, because what is asked may be a password. */
  fingerprint(parts: readonly unknown[]): Buffer;
  /** `commandId` is for a new record; a record whose first request died keeps its own. */
  reserve(record: RecordKey, fingerprint: Buffer, commandId: string, now: Date): Promise<Reservation>;
  /** Whether it was stored: not when another request has taken the record over. */
  complete(hold: Hold, body: Uint8Array): Promise<boolean>;
  /** The next request that is the same goes on at once, with the same command id. */
  release(hold: Hold): Promise<void>;
  /** The next request under the key may be any, and is a new command. */
  free(hold: Hold): Promise<void>;
}

const isPast = '(r.created_at < $6 or coalesce(r.status, 200) <> 200)';

// A record is taken over from a dead process, after its lease from a living one, and when it should be gone: then it is
// a new one. Leases are real time, of the one database: the test clock does not kill requests.
//
// Statuses other than 200 are refusals that versions before 0003 kept: as if they had never been.
//
// The insert waits for another insert of the same key, but the second half does not see that one's row: then no row
// comes back, and asking again finds it.
const reserve = statement(
  'idempotency-reserve',
  `with reserved as (
     insert into idempotency_records as r
       (account_id, key, fingerprint, command_id, lease_until, created_at, lease_owner, lease_token, retried)
     values ($1, $2, $3, $4, now() + interval '${leaseSeconds} seconds', $5, $7, $4, false)
     on conflict (account_id, key) do update set
       fingerprint = excluded.fingerprint,
       command_id = case when ${isPast} then excluded.command_id else r.command_id end,
       created_at = case when ${isPast} then excluded.created_at else r.created_at end,
       retried = not ${isPast},
       status = null, response = null,
       lease_until = excluded.lease_until, lease_owner = excluded.lease_owner, lease_token = excluded.lease_token
     where ${isPast} or (
       r.status is null and r.fingerprint = excluded.fingerprint
       and (r.lease_until <= now() or r.lease_owner <> all (array(${liveLeaseOwners}))))
     returning command_id, retried
   )
   select true as reserved, command_id, retried, null::bytea as fingerprint, null::smallint as status, null::bytea as response,
     null::float8 as lease_left
   from reserved
   union all
   select false, command_id, retried, fingerprint, status, response, extract(epoch from greatest(lease_until, now()) - now())::float8
   from idempotency_records
   where account_id = $1 and key = $2 and not exists (select from reserved)`,
);

const complete = statement(
  'idempotency-complete',
  `update idempotency_records set status = 200, response = $4
   where account_id = $1 and key = $2 and lease_token = $3`,
);

const release = statement(
  'idempotency-release',
  `update idempotency_records set lease_until = '-infinity'
   where account_id = $1 and key = $2 and lease_token = $3 and status is null`,
);

const free = statement(
  'idempotency-free',
  `delete from idempotency_records where account_id = $1 and key = $2 and lease_token = $3 and status is null`,
);

interface Row {
  readonly reserved: boolean;
  readonly command_id: string;
  readonly retried: boolean;
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly response: Buffer;
  readonly lease_left: number;
}

const boundTo = (record: RecordKey): string => `${record.accountId} ${record.key}`;

/** @param owner this process, as the holder of its instance's lock */
export function createIdempotencyStore(database: Database, secret: string, owner: number): IdempotencyStore {
  const { pool } = database;
  const box = createResponseBox(secret);
  const fingerprintKey = Buffer.from(hkdfSync('sha256', secret, '', 'idempotency-fingerprints', 32));
  const held = ({ accountId, key, token }: Hold) => [accountId, key, token];
  return {
    fingerprint: (parts) => createHmac('sha256', fingerprintKey).update(JSON.stringify(parts)).digest(),
    reserve: async (record, fingerprint, commandId, now) => {
      const values = [record.accountId, record.key, fingerprint, commandId, now, keptSince(now), owner];
      let { rows } = await pool.query<Row>(reserve(values));
      if (rows.length === 0) ({ rows } = await pool.query<Row>(reserve(values)));
      const [row] = rows;
      if (row === undefined) return { kind: 'in-use', leaseLeftSeconds: leaseSeconds };
      if (row.reserved) {
        const { command_id, retried } = row;
        return { kind: 'run', hold: { ...record, commandId: command_id, token: commandId, retried } };
      }
      if (!row.fingerprint.equals(fingerprint)) return { kind: 'reused' };
      if (row.status === null) return { kind: 'in-use', leaseLeftSeconds: row.lease_left };
      return { kind: 'done', body: box.open(row.response, boundTo(record)) };
    },
    complete: async (hold, body) => {
      const values = [...held(hold), box.seal(body, boundTo(hold))];
      return (await pool.query(complete(values))).rowCount === 1;
    },
    release: async (hold) => {
      await pool.query(release(held(hold)));
    },
    free: async (hold) => {
      await pool.query(free(held(hold)));
    },
  };
}
