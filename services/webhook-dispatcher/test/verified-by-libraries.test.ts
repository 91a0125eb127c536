import { orderPaid } from '@app/contracts/orders';
import { rotateWebhookSecret } from '@app/contracts/webhooks';
import type { ReceivedRequest } from '@app/testing/http-receiver';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { anOrder, connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';

startService();

const libraries = [
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
] as const;

/** A delivery of one order, with the secret that signed it, and with the next one's. */
async function deliveries() {
  const seller = await connectedAccount(harness);
  const { account, receiver, secret } = seller;
  const send = async (count: number): Promise<ReceivedRequest> => {
    await harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()));
    return (await receiver.received(count)).at(-1) as ReceivedRequest;
  };
  const before = await send(1);
  const [row] = await harness.query<{ id: string }>('select id from endpoints where account_id = $1', [account]);
  const endpointId = row?.id as string;
  const rotated = await harness.request(rotateWebhookSecret, account, { endpointId, body: {} });
  const during = await send(2);
  harness.clock.advance(25 * 3_600_000);
  const after = await send(3);
  await receiver.close();
  return { before, during, after, secret, next: rotated.secret as string };
}

describe.each(libraries)('%s', (_, Webhook) => {
  const verify = (secret: string, { body, headers }: ReceivedRequest): unknown =>
    new Webhook(secret).verify(body, headers as Record<string, string>);

  test('verifies a delivery as it came, and refuses it with one byte changed, another time, id or secret', async () => {
    const { before, secret, next } = await deliveries();
    expect(verify(secret, before)).toEqual(JSON.parse(before.body));
    const changed = (headers: object) => ({ ...before, headers: { ...before.headers, ...headers } });
    const otherTime = String(Number(before.headers['webhook-timestamp']) + 1);
    for (const tampered of [
      { ...before, body: before.body.replace('4900', '4901') },
      { ...before, body: `${before.body} ` },
      changed({ 'webhook-timestamp': otherTime }),
      changed({ 'webhook-id': 'evt_other' }),
    ]) {
      expect(() => verify(secret, tampered)).toThrow('signature');
    }
    expect(() => verify(next, before)).toThrow('signature');
  });

  test('verifies with the new and with the previous secret while both sign, and with the new one alone afterwards', async () => {
    const { during, after, secret, next } = await deliveries();
    expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
    for (const known of [secret, next]) expect(verify(known, during)).toEqual(JSON.parse(during.body));
    expect(() => verify(secret, { ...during, body: `${during.body} ` })).toThrow('signature');
    expect(String(after.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(verify(next, after)).toEqual(JSON.parse(after.body));
    expect(() => verify(secret, after)).toThrow('signature');
  });
});
