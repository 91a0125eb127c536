import { productCreated } from '@app/contracts/products';
import { onEvent } from '@app/messaging/event-handler';
import { readEvent } from '@app/messaging/take-effect';
import { migrateUp } from '@app/service-kit/migrations';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { migrations } from '../src/db/migrations/index.ts';

guardLeaks();

test('products of versions before are told of once, by an event older than any renaming', async () => {
  const old = await createTestDatabase();
  try {
    const before = migrations.findIndex(({ name }) => name === '0004-announce-products');
    await migrateUp({ ...databaseOptions(old.url), migrations: migrations.slice(0, before) });
    await query(
      old.url,
      `insert into products (account_id, id, name, slug, price_cents, currency, pricing_type, billing_interval, status,
         created_at, updated_at) values
       ('acc_01k3m8q0c7fq9r2v5x8z1b4d6e', 'prd_01k3m8q1a2b3c4d5e6f7g8h9jk', 'Ada’s "Club"', 'club', 1, 'usd', 'subscription',
         'month', 'archived', '2026-08-26T09:16:40.512Z', '2026-09-01'),
       ('acc_01k3m8q0c7fq9r2v5x8z1b4d6f', 'prd_01k3m8q1a2b3c4d5e6f7g8h9jm', 'Guide', 'guide', 1, 'usd', 'onetime', null,
         'draft', '2026-08-26T09:16:41Z', '2026-08-26T09:16:41Z')`,
    );
    await migrate(old.url);
    expect(await migrate(old.url)).toEqual([]);
    const rows = await query<{ event_id: string; subject: string; payload: string }>(
      old.url,
      'select event_id, subject, payload from outbox order by id',
    );
    const handler = onEvent(productCreated, async () => undefined);
    const headers = () => ({ request_id: null, traceparent: null });
    const events = rows.map(({ payload }) => readEvent(handler, payload, headers));
    expect(rows.map(({ event_id, subject }) => [event_id, subject])).toEqual(
      events.map(({ id }) => [id, productCreated.subject]),
    );
    expect(events).toMatchObject([
      {
        ...{ id: 'evt_01k3m8q1a2b3c4d5e6f7g8h9jk', accountId: 'acc_01k3m8q0c7fq9r2v5x8z1b4d6e' },
        occurredAt: '2026-08-26T09:16:40.512Z',
        data: { productId: 'prd_01k3m8q1a2b3c4d5e6f7g8h9jk', name: 'Ada’s "Club"', pricingType: 'subscription' },
      },
      { id: 'evt_01k3m8q1a2b3c4d5e6f7g8h9jm', occurredAt: '2026-08-26T09:16:41.000Z', data: { name: 'Guide' } },
    ]);
  } finally {
    await old.close();
  }
});
