import { dayMs } from '@app/contracts/durations';
import { idFloor, newId } from '@app/contracts/ids';

/** The webhook-dispatcher's database. */
export interface HistoryStore {
  query(text: string, values: unknown[]): Promise<unknown>;
  /** Makes the partitions that rows with these ids need. */
  cover(ids: readonly string[]): Promise<unknown>;
  readonly nowMs: number;
}

/** An account whose history is long, and its endpoints. */
export interface LongHistory {
  readonly account: string;
  /** It took nearly everything, and nearly always answered. */
  readonly busy: string;
  /** It takes one event in `rareEvery`. */
  readonly narrow: string;
  readonly orderId: string;
  readonly email: string;
}

const monthMs = 30 * dayMs;

/**
 * Stores so many events, spread over 13 months, each with a delivery and an attempt; and a tenth as many deliveries
 * that are held, and notices. One in `rareEvery` is of another event, failed, or was delivered to the narrow endpoint.
 * All buyers have the same address, and one order has two of the events.
 */
export async function addMonths(store: HistoryStore, events: number, rareEvery = 1_000): Promise<LongHistory> {
  const { nowMs } = store;
  const history = {
    account: newId('account', nowMs),
    busy: newId('webhookEndpoint', nowMs),
    narrow: newId('webhookEndpoint', nowMs),
    orderId: newId('order', nowMs),
    email: 'same@example.com',
  };
  for (const [role, id, url] of [
    ['primary', history.busy, 'https://busy.example'],
    ['additional', history.narrow, 'https://narrow.example'],
  ])
    await store.query(
      `insert into endpoints (id, account_id, role, url, secret, active, version, created_at, updated_at)
       values ($1, $2, $3, $4, 'x', true, 1, now(), now())`,
      [id, history.account, role, url],
    );
  const months = 13;
  for (let month = 0; month < months; month++)
    await addMonth(store, history, {
      atMs: nowMs - (months - month) * monthMs,
      month,
      rareEvery,
      count: Math.ceil(events / months),
    });
  await store.query(
    `insert into account_logs (account_id, last_sequence) select account_id, max(sequence) from events
     where account_id = $1 group by account_id`,
    [history.account],
  );
  return history;
}

async function addMonth(
  store: HistoryStore,
  { account, busy, narrow, orderId, email }: LongHistory,
  { atMs, month, count, rareEvery }: { atMs: number; month: number; count: number; rareEvery: number },
): Promise<void> {
  const kinds = ['event', 'delivery', 'attempt', 'notice'] as const;
  await store.cover(kinds.map((kind) => newId(kind, atMs)));
  const [event, delivery, attempt, notice] = kinds.map((kind) => idFloor(kind, atMs));
  // An id's time has ten characters; the account's last ones and the row's number are the others.
  const suffix = `right(${'$1'}, 6) || lpad(n::text, 10, '0')`;
  const rare = `n % ${rareEvery} = 7`;
  const name = `case when ${rare} then 'affiliate.paid' else 'order.paid' end`;
  const failed = `n % ${rareEvery} = 8`;
  const run = (text: string, values: unknown[]) =>
    store.query(text.replaceAll('<suffix>', suffix), [account, count, ...values]);
  await run(
    `insert into events (id, account_id, sequence, name, order_id, email, email_key, test, occurred_at, stored_at, delivery_ids,
       endpoint_ids)
     select $3 || <suffix>, $1, $4::int * $2::int + n, ${name}, case when n = 1 and $4 in (3, 4) then $5 else 'ord_' || n end, $6, $6,
       false, $7, $7, array[$8 || <suffix>], '{}' from generate_series(1, $2::int) n`,
    [event, month, orderId, email, new Date(atMs), delivery],
  );
  await run(
    `insert into finished_deliveries (id, account_id, event_id, endpoint_id, event_name, test, status, reason, attempts,
       created_at, finished_at)
     select $3 || <suffix>, $1, $4 || <suffix>, case when n % 10 = 9 then $6 else $5 end, ${name}, false,
       case when ${failed} then 'failed' when n % 10 = 9 and n % ${rareEvery} <> 9 then 'filtered' else 'delivered' end,
       case when ${failed} then 'attempts_used' when n % 10 = 9 and n % ${rareEvery} <> 9 then 'filtered' end, 1, $7, $7
     from generate_series(1, $2::int) n`,
    [delivery, event, busy, narrow, new Date(atMs)],
  );
  await run(
    `insert into attempts (id, account_id, delivery_id, endpoint_id, event_name, number, created_at, url, status_code,
       duration_ms, outcome)
     select $3 || <suffix>, $1, $4 || <suffix>, case when n % ${rareEvery} = 9 then $6 else $5 end, ${name}, 1, $7, 'https://x.example', 200, 5,
       case when ${failed} then 'failed' else 'delivered' end from generate_series(1, $2::int) n`,
    [attempt, delivery, busy, narrow, new Date(atMs)],
  );
  await run(
    `insert into notices (id, account_id, created_at, summary, order_id, test)
     select $3 || <suffix>, $1, $4, 'x', 'ord_' || n, false from generate_series(1, $2::int / 10) n`,
    [notice, new Date(atMs)],
  );
  await run(
    `insert into deliveries (id, account_id, event_id, endpoint_id, event_name, test, status, next_attempt_at, created_at)
     select $3 || substr(<suffix>, 1, 6) || 'z' || substr(<suffix>, 8), $1, $4 || <suffix>, $5, ${name}, false, 'held', $6, $6
     from generate_series(1, $2::int / 10) n`,
    [delivery, event, busy, new Date(atMs)],
  );
}
