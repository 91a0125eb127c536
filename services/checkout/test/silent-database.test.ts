import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { createMigratedDatabase } from '@app/testing/postgres';
import { startTcpProxy } from '@app/testing/tcp-proxy';
import { expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { newOrder } from '../src/orders/new-order.ts';
import { decideSale } from '../src/orders/order.rules.ts';
import { recordedOutcomes, recordRefusals } from '../src/orders/order-outcomes.ts';
import { recordOrders } from '../src/orders/record-orders.ts';
import { account, course, orderBody } from './harness.ts';

guardLeaks();

function someOrder() {
  const nowMs = Date.now();
  const commandId = newIdSuffix(nowMs);
  const context = { accountId: 'acc_1', requestId: 'req-1', commandId, deadlineMs: nowMs, traceparent: undefined };
  const command = { body: orderBody(), account, context };
  const sale = decideSale(command.body, course, false, nowMs);
  return newOrder({ id: `ord_${commandId}`, nowMs, command, sale, product: course, credit: null });
}

test('a connection that went silent fails one order and not the next: it leaves the pool', async () => {
  const created = await createMigratedDatabase('checkout', migrate);
  const proxy = await startTcpProxy(created.url);
  // The orders before and after the silence are recorded within them.
  const limits = { statementMs: 2_500, silenceMs: 500 };
  const database = await openDatabase({ ...databaseOptions(proxy.url), poolMax: 1, limits });
  await recordOrders(database, [someOrder()]);
  proxy.silence();
  await expect(recordOrders(database, [someOrder()])).rejects.toThrow('Query read timeout');
  const next = someOrder();
  await recordOrders(database, [next]);
  const { rows } = await database.pool.query('select 1 from orders where id = $1', [next.id]);
  expect(rows).toHaveLength(1);
  await database.close();
  await proxy.close();
  await created.close();
});

test('without a connection an order had no effect, but what became of another attempt of it is unknown', async () => {
  const created = await createMigratedDatabase('checkout', migrate);
  const proxy = await startTcpProxy(created.url);
  const database = await openDatabase({ ...databaseOptions(proxy.url), poolMax: 1 });
  await proxy.close();
  const order = someOrder();
  await expect(recordOrders(database, [order])).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(recordedOutcomes(database, [order])).rejects.toMatchObject({ code: 'outcome_unknown' });
  const refusal = { ...order, error: new DomainError('product_not_live', 'The product is archived, not live.') };
  await expect(recordRefusals(database, [refusal])).rejects.toMatchObject({ code: 'outcome_unknown' });
  await database.close();
  await created.close();
});
