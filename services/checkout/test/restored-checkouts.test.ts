import { newIdSuffix } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { copiesMax } from '../src/checkouts/restore-checkout.ts';
import { endSecretsOfLinks } from '../src/db/migrations/0006-copied-checkouts.ts';
import { type Opened, plainCourse, withUpsell } from './checkout-harness.ts';
import { dayMs, email, minuteMs } from './reminders-harness.ts';
import { harness, startReminders } from './reminders-set-up.ts';

startReminders();

const later = (ms: number) => harness.base.clock.advance(ms);
const nothing = { ok: true, sent: 0, recovered: 0, problem: null };

/** A checkout that has stalled, and the token of the link in its reminder. */
async function reminded(body: Parameters<typeof harness.open>[0] = { email }): Promise<Opened & { token: string }> {
  const opened = await harness.open(body);
  later(61 * minuteMs);
  expect(await harness.run()).toMatchObject({ ok: true, sent: 1 });
  return { ...opened, token: harness.links().at(-1)?.restore ?? '' };
}

const visits = () => harness.query(`select count(*)::int as count from outbox where subject like '%visited%'`);

test('who shares the link of a checkout reads nothing of what the buyer pays, and decides nothing for them', async () => {
  harness.shop.set('acc_1/course', withUpsell);
  const shared = await reminded({ email, name: 'Bob' });
  const victims = await harness.restore(shared.token);
  await harness.update(victims, { email: 'victim@example.com', name: 'Victim' });
  expect(await harness.pay(victims)).toMatchObject({ status: 'authorized' });
  for (const secret of [shared.secret, shared.token])
    await expect(harness.get({ id: victims.id, secret })).rejects.toMatchObject({ code: 'checkout_not_found' });
  const forged = { ...victims, secret: shared.secret };
  await expect(harness.decide(forged, true)).rejects.toMatchObject({ code: 'checkout_not_found' });
  expect(await harness.get(shared)).toMatchObject({ status: 'open', email, name: 'Bob', lastFour: null, upsell: null });
  await expect(harness.restore(shared.token)).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await harness.decide(victims, false)).toMatchObject({ status: 'paid' });
});

test('the token of a link is no secret of its checkout, and the secret is no token', async () => {
  const { id, secret, token } = await reminded();
  await expect(harness.get({ id, secret: token })).rejects.toMatchObject({ code: 'checkout_not_found' });
  for (const none of [secret, '', 'x', `${token}x`])
    await expect(harness.restore(none)).rejects.toMatchObject({ code: 'checkout_not_found' });
});

test('a link restores its checkout as often as asked, each time as another one, and a repeated command once', async () => {
  const { id, token } = await reminded({ email, bumpIds: ['bmp_1'], discountCode: 'always', utm_source: 'mail' });
  const counted = await visits();
  const command = newIdSuffix(harness.base.clock.nowMs());
  const copies = [await harness.restore(token, command), await harness.restore(token), await harness.restore(token)];
  const again = await harness.restore(token, command);
  expect(again.id).toBe(copies[0]?.id);
  expect(new Set([id, ...copies.map((copy) => copy.id)]).size).toBe(4);
  for (const copy of [...copies, again]) {
    expect(await harness.get(copy)).toMatchObject({
      email,
      status: 'open',
      discountCode: 'ALWAYS',
      totalCents: 11_400,
    });
  }
  expect(await visits()).toEqual(counted);
  expect(await harness.query('select count(*)::int as uses from discount_uses')).toEqual([{ uses: 0 }]);
  expect(await harness.query('select distinct utm_source from checkouts')).toEqual([{ utm_source: 'mail' }]);
});

test('a link whose original is paid restores nothing, nor does one of a checkout that has expired', async () => {
  const first = await reminded();
  await harness.pay(first);
  await expect(harness.restore(first.token)).rejects.toMatchObject({ code: 'invalid_transition' });
  const second = await reminded({ email: 'eve@example.com' });
  await harness.query(`update checkouts set status = 'expired' where id = '${second.id}'`);
  await expect(harness.restore(second.token)).rejects.toMatchObject({ code: 'checkout_not_found' });
});

test('what is no longer for sale is not restored, and its link has lost none of its copies', async () => {
  const { token } = await reminded();
  harness.shop.set('acc_1/course', { ...plainCourse, status: 'archived' });
  await expect(harness.restore(token)).rejects.toMatchObject({ code: 'no_longer_for_sale' });
  expect(await harness.query('select copies from reminders')).toEqual([{ copies: 0 }]);
});

test('a link makes a hundred copies, and not one more however many ask at once', async () => {
  const { token } = await reminded();
  await harness.query(`update reminders set copies = ${copiesMax - 3}`);
  const asked = await Promise.allSettled(Array.from({ length: 10 }, () => harness.restore(token)));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await expect(harness.restore(token)).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await harness.query('select count(*)::int as count from checkouts')).toEqual([{ count: 4 }]);
});

test('a paid copy counts as its reminder’s one recovered checkout, and no other reminder goes out', async () => {
  const { token } = await reminded();
  const [one, other] = [await harness.restore(token), await harness.restore(token)];
  later(2 * 60 * minuteMs);
  expect(await harness.run()).toEqual(nothing);
  await harness.pay(one, 'ok', { from: ['here'] });
  await harness.pay(other, 'ok', { from: ['there'] });
  expect(await harness.run()).toEqual({ ...nothing, recovered: 1 });
  expect(await harness.run()).toEqual(nothing);
  later(6 * dayMs);
  expect(await harness.run()).toEqual(nothing);
});

test('links that went out with a secret of their checkout restore it, and open it no more', async () => {
  const { id, token } = await reminded();
  await harness.query(`update checkouts set secret_hashes = secret_hashes || sha256('${token}')`);
  expect(await harness.get({ id, secret: token })).toMatchObject({ email });
  await harness.query(endSecretsOfLinks);
  await expect(harness.get({ id, secret: token })).rejects.toMatchObject({ code: 'checkout_not_found' });
  expect(await harness.restore(token)).toMatchObject({ email });
});
