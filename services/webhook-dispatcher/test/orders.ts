import type { affiliatePaid } from '@app/contracts/affiliates';
import type { EventData } from '@app/contracts/define';
import type { funnelEmailSynced } from '@app/contracts/funnels';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { type PaidOrder, paidOrder } from '@app/testing/paid-order';
import { attempted, type Harness } from './harness.ts';

/** @param nowMs the test's clock, because ids made by two clocks would not sort */
export const anOrder = (nowMs: number, change: Partial<PaidOrder> = {}): PaidOrder =>
  paidOrder(nowMs, { productName: 'Ünïcode course “☃”', currency: 'eur', ...change });

/** A funnel's email, pushed. */
export const anEmail = (productId: string): EventData<typeof funnelEmailSynced> => ({
  ...{ productId, productSlug: 's', productName: 'P' },
  ...{ position: 1, sendDay: 0, subject: 'S', body: 'B' },
});

/** When the events below happened. */
export const eventTime = '2026-01-15T11:00:00.000Z';

/** What events after a sale have of its order. */
export const soldProduct = {
  orderId: 'ord_01kex0000000000000000000aa',
  productId: 'prd_01kex0000000000000000000aa',
  productName: 'Course',
  customerEmail: 'ada@example.com',
  currency: 'eur',
  test: false,
};

/** What events of a subscription have of it. */
export const soldSubscription = {
  ...soldProduct,
  subscriptionId: 'sub_01kex0000000000000000000aa',
  amountCents: 4_900,
  billingInterval: 'month' as const,
  mrrCents: 4_900,
};

/** A payout of an affiliate, which is no event of an order. @param nowMs as of `anOrder` */
export const aPayout = (nowMs: number): EventData<typeof affiliatePaid> => ({
  payoutId: newId('payout', nowMs),
  affiliateCode: 'ANNA',
  affiliateName: 'Anna',
  affiliateEmail: 'anna@example.com',
  amountCents: 2_040,
  currency: 'usd',
  commissionCount: 1,
  paidAt: new Date(nowMs).toISOString(),
});

/** Deliveries with work to do, and finished ones. */
export const allDeliveries = `(
  select id, account_id, event_id, endpoint_id, status, attempts, priority, null as reason from deliveries union all
  select id, account_id, event_id, endpoint_id, status, attempts, null, reason from finished_deliveries) as deliveries`;

/** Stores an event with its body, as `storeEvents` does, and returns its id. */
export async function anEvent(harness: Harness, accountId: string): Promise<string> {
  const eventId = newId('event', harness.clock.nowMs());
  await harness.partitions.cover([eventId, newId('delivery', harness.clock.nowMs())]);
  await harness.query(
    `insert into events (id, account_id, name, test, occurred_at, stored_at, delivery_ids, endpoint_ids)
     values ($1, $2, 'order.paid', false, now(), now(), '{}', '{}')`,
    [eventId, accountId],
  );
  await harness.query('insert into event_bodies (event_id, account_id, body) values ($1, $2, $3)', [
    ...[eventId, accountId, '{}'],
  ]);
  return eventId;
}

/** Creates an account with an endpoint at a receiver of its own, or at one that it shares. */
export async function connectedAccount(harness: Harness, shared?: Receiver) {
  const account = harness.account();
  const receiver = shared ?? (await startReceiver());
  const url = `${receiver.url}/hook?from=us`;
  const { id: endpointId, secret } = await harness.request(putWebhookEndpoint, account, { body: { url } });
  const statuses = async (): Promise<string[]> => {
    const text = `select status from ${allDeliveries} where account_id = $1 order by id`;
    return (await harness.query<{ status: string }>(text, [account])).map((row) => row.status);
  };
  /** So many attempts of the account are recorded, since its beginning. */
  const tried = (times: number) => attempted({ accountId: account }, times);
  /** So many of its deliveries are recorded as delivered. */
  const delivered = (times = 1) => attempted({ accountId: account, delivered: true }, times);
  /** Ids of the events received so far, in the order of arrival. */
  const received = () => receiver.requests.map((request) => request.headers['webhook-id'] as string);
  const publish = (change: Partial<PaidOrder> = {}) =>
    harness.publish(orderPaid, account, anOrder(harness.clock.nowMs(), change));
  /** Any change of the endpoint makes the service check for deliveries at once. */
  const put = (change: object = {}) => harness.request(putWebhookEndpoint, account, { body: { url, ...change } });
  return {
    account,
    receiver,
    url,
    endpointId,
    secret: secret as string,
    statuses,
    tried,
    delivered,
    received,
    publish,
    put,
  };
}
