import { type Database, statement } from '@app/service-kit/database';
import { createKeyedDigest } from '@app/service-kit/keyed-digest';
import { liveLeaseOwners } from '@app/service-kit/lease-owner';
import type { Secrets } from '@app/service-kit/sealed-box';
import { keptSince } from './idempotency.rules.ts';
import { createResponseBox } from './response-box.ts';

export interface RecordKey {
  readonly accountId: string;
  readonly key: string;
}

/** A running request's hold on its record. It ends with the lease, or when the process dies. */
export interface RecordLease extends RecordKey {
  readonly commandId: string;
  /** Of this request alone: a request that takes the record over has another one. */
  readonly token: string;
  /** An earlier request with this command id ended, and its outcome is unknown. */
  readonly retried: boolean;
}

export type Reservation =
  | { kind: 'run'; lease: RecordLease }
  | { kind: 'done'; body: Buffer }
  | { kind: 'in-use'; leaseLeftSeconds: number }
  | { kind: 'reused' };

export type Fingerprints = readonly [today: Buffer, ...earlier: Buffer[]];

/** Stores responses under their Idempotency-Key. A request costs two statements: one before it runs, one after. */
export interface IdempotencyStore {
  /**
   * Keyed digest of a request and its caller. It has a key because a request may hold a password. While the pepper is
   * being rotated, the one under the pepper before follows: the record of an earlier call has that.
   */
  fingerprints(parts: readonly unknown[]): Fingerprints;
  /** Begins a request under the key. `commandId` is for a new record; a record whose first request died keeps its own. */
  reserve(
    record: RecordKey,
    request: { fingerprints: Fingerprints; commandId: string; leaseSeconds: number },
    now: Date,
  ): Promise<Reservation>;
  /** Stores the response. Resolves to the bytes that it takes; null when another request has taken the record over. */
  complete(lease: RecordLease, body: Uint8Array): Promise<number | null>;
  /** Lets the same request run again at once, with the same command id. */
  endLease(lease: RecordLease): Promise<void>;
  /** Lets any request use the key, as a new command. */
  deleteRecord(lease: RecordLease): Promise<void>;
}

const isPast = 'r.created_at < $6';

// A request takes a record over when the process that held it is dead, or when its lease is over. A record past its time
// counts as new. Leases use the database's real time, so that the test clock ends no request.
//
// The insert waits for a concurrent insert of the same key, but the second half of the statement does not see that row.
// The statement then returns no row, and running it again finds the record.
const reserve = statement<Row>(
  'idempotency-reserve',
  `with reserved as (
     insert into idempotency_records as r
       (account_id, key, fingerprint, command_id, lease_until, created_at, lease_owner, lease_token, retried)
     values ($1, $2, $3, $4, now() + $8 * interval '1 second', $5, $7, $4, false)
     on conflict (account_id, key) do update set
       fingerprint = excluded.fingerprint,
       command_id = case when ${isPast} then excluded.command_id else r.command_id end,
       created_at = case when ${isPast} then excluded.created_at else r.created_at end,
       retried = not (${isPast}),
       status = null, response = null,
       lease_until = excluded.lease_until, lease_owner = excluded.lease_owner, lease_token = excluded.lease_token
     where ${isPast} or (
       r.status is null and r.fingerprint = any($9::bytea[])
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
  {
    command_id: 'text',
    fingerprint: 'bytea',
    lease_left: 'float8',
    reserved: 'bool',
    response: 'bytea',
    retried: 'bool',
    status: 'int2',
  },
);

const complete = statement(
  'idempotency-complete',
  `update idempotency_records set status = 200, response = $4
   where account_id = $1 and key = $2 and lease_token = $3`,
);

const endLease = statement(
  'idempotency-end-lease',
  `update idempotency_records set lease_until = '-infinity'
   where account_id = $1 and key = $2 and lease_token = $3 and status is null`,
);

const deleteRecord = statement(
  'idempotency-delete',
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

/** What a response is sealed for. */
export const boundTo = (record: RecordKey): string => `${record.accountId} ${record.key}`;

/** Not of a caller without an account: those are named by the operation (`ownerOfKey`). */
const isOfAccount = ({ accountId }: RecordKey): boolean => !accountId.includes(' ');

/** @param owner this process, as the holder of its instance's lock */
export function createIdempotencyStore(database: Database, secrets: Secrets, owner: number): IdempotencyStore {
  const { pool } = database;
  const box = createResponseBox(secrets);
  const digests = secrets.map((secret) => createKeyedDigest(secret, 'idempotency-fingerprints'));
  const leaseValues = ({ accountId, key, token }: RecordLease) => [accountId, key, token];
  return {
    fingerprints: (parts) => {
      const text = JSON.stringify(parts);
      return digests.map((digest) => Buffer.from(digest(text), 'base64url')) as [Buffer, ...Buffer[]];
    },
    reserve: async (record, { fingerprints, commandId, leaseSeconds }, now) => {
      const reserved = [
        record.accountId,
        record.key,
        fingerprints[0],
        commandId,
        now,
        keptSince(now, isOfAccount(record)),
        owner,
      ];
      const values = [...reserved, leaseSeconds, fingerprints];
      let { rows } = await pool.query(reserve(values));
      if (rows.length === 0) ({ rows } = await pool.query(reserve(values)));
      const [row] = rows;
      if (row === undefined) return { kind: 'in-use', leaseLeftSeconds: leaseSeconds };
      if (row.reserved) {
        const { command_id, retried } = row;
        return { kind: 'run', lease: { ...record, commandId: command_id, token: commandId, retried } };
      }
      if (!fingerprints.some((one) => row.fingerprint.equals(one))) return { kind: 'reused' };
      if (row.status === null) return { kind: 'in-use', leaseLeftSeconds: row.lease_left };
      return { kind: 'done', body: box.open(row.response, boundTo(record)) };
    },
    complete: async (lease, body) => {
      const sealed = box.seal(body, boundTo(lease));
      const { rowCount } = await pool.query(complete([...leaseValues(lease), sealed]));
      return rowCount === 1 ? sealed.length : null;
    },
    endLease: async (lease) => {
      await pool.query(endLease(leaseValues(lease)));
    },
    deleteRecord: async (lease) => {
      await pool.query(deleteRecord(leaseValues(lease)));
    },
  };
}
