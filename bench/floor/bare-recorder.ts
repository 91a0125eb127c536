import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@app/contracts/ids';
import pg from 'pg';

/** The least that "recorded" can mean: a row of five columns with one index, many in a statement, committed. */
export interface BareRecorder {
  /** Rows that are committed. */
  recorded(): number;
  /** Waits only while far more rows wait than a statement takes. */
  add(statusCode: number, durationMs: number): Promise<void>;
  close(): Promise<void>;
}

interface Row {
  readonly id: string;
  readonly statusCode: number;
  readonly durationMs: number;
  readonly createdAt: string;
}

/** As the dispatcher's: deliveries/record-attempts.ts. */
const batchMax = 500;
const writePauseMs = 20;
const waitingMax = 2_000;
const accountId = 'acc_01kbench0000000000000000000';
const create = `create table if not exists bare_attempts (id text collate "C" primary key, account_id text not null,
  status_code int not null, duration_ms int not null, created_at timestamptz not null)`;
const insert = `insert into bare_attempts (id, account_id, status_code, duration_ms, created_at)
  select id, $5, status_code, duration_ms, created_at
  from unnest($1::text[], $2::int[], $3::int[], $4::timestamptz[]) as a (id, status_code, duration_ms, created_at)`;

export async function openBareRecorder(databaseUrl: string): Promise<BareRecorder> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(create);
  const waiting: Row[] = [];
  let recorded = 0;
  let open = true;
  const recordOn = async (): Promise<void> => {
    while (open || waiting.length > 0) {
      const rows = waiting.splice(0, batchMax);
      const values = [
        rows.map(({ id }) => id),
        rows.map(({ statusCode }) => statusCode),
        rows.map(({ durationMs }) => durationMs),
        rows.map(({ createdAt }) => createdAt),
        accountId,
      ];
      if (rows.length > 0) await client.query({ name: 'bare-insert', text: insert, values });
      recorded += rows.length;
      if (rows.length < batchMax) await sleep(writePauseMs);
    }
  };
  const recording = recordOn();
  return {
    recorded: () => recorded,
    add: async (statusCode, durationMs) => {
      while (waiting.length >= waitingMax) await sleep(1);
      const nowMs = Date.now();
      const createdAt = new Date(nowMs).toISOString();
      waiting.push({ id: newId('attempt', nowMs), statusCode, durationMs: Math.round(durationMs), createdAt });
    },
    close: async () => {
      open = false;
      await recording;
      await client.end();
    },
  };
}
