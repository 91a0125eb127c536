import { beforeAll, expect, test } from 'vitest';
import { type BuyersCheckout, checkoutOf, openCheckout } from '../support/buyer.ts';
import { verifyAddress } from '../support/letters.ts';
import { print } from '../support/print.ts';
import { remindedOf } from '../support/reminders.ts';
import { addProduct, call } from '../support/seller.ts';
import { handle, platform, seller, signUpSeller } from '../support/set-up.ts';

/** Bound: whoever opens a checkout and shares a link to it reads nothing of who pays there, and spends nothing of theirs. */
signUpSeller();

beforeAll(async () => {
  await verifyAddress(platform.baseUrl, seller, platform.emails);
  const { productId } = await addProduct(seller);
  const upsell = { headline: 'A year of coaching', priceCents: 29_900 };
  await seller.call('POST', `/api/v1/products/${productId}/upsells`, { body: upsell });
});

/** What a victim's browser does with a link: it opens it, presses its button, and pays in the checkout that it has then. */
async function victimPays(link: string, email: string): Promise<BuyersCheckout> {
  let own: BuyersCheckout | undefined;
  for (const method of ['GET', 'POST']) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${platform.baseUrl}${link}`, { method, headers, redirect: 'manual' });
    const [, id, secret] = /(cko_\w{26})\.([\w-]{43})/.exec(answer.headers.getSetCookie().join()) ?? [];
    if (id && secret) own = checkoutOf(platform.baseUrl, { id, secret });
  }
  own ??= await openCheckout(platform.baseUrl, { handle, slug: 'course', email });
  expect((await own.call('PATCH', '', { email, name: 'Victim' })).status).toBe(200);
  expect((await own.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json.status).toBe('authorized');
  return own;
}

test('the sharer of an own checkout’s link, of every form, reads nothing and accepts nothing after the victim paid', async () => {
  let tried = 0;
  for (const form of ['secret in the path', 'link of the reminder', 'link of an earlier email']) {
    const email = `sharer-${tried}@example.com`;
    const own = await openCheckout(platform.baseUrl, { handle, slug: 'course', email });
    const token = await remindedOf(platform, seller, own.id, email);
    const links: Record<string, string> = {
      'secret in the path': `${own.id}.${own.secret}`,
      'link of the reminder': token,
      'link of an earlier email': `${own.id}.${token}`,
    };
    const victims = await victimPays(`/c/restore/${links[form]}.${handle}.course`, `victim-${tried}@example.com`);
    for (const id of new Set([own.id, victims.id])) {
      for (const secret of [own.secret, token]) {
        tried += 1;
        const headers = { 'x-checkout-secret': secret };
        const read = await call(platform.baseUrl, 'GET', `/api/checkout/${id}`, { headers });
        expect(read.text).not.toMatch(/victim|4242|accessUrl":"http/i);
        const body = { accept: true };
        const accepted = await call(platform.baseUrl, 'POST', `/api/checkout/${id}/upsell`, { headers, body });
        expect([form, id === own.id, accepted.status >= 400]).toEqual([form, id === own.id, true]);
      }
    }
  }
  print(`fixation: ${tried} tries to read and to decide on what victims of shared links pay; none succeeded`);
});
