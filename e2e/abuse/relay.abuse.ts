import { createTestNats } from '@app/testing/nats';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startClusterOn } from '../support/cluster.ts';
import { verifyAddress } from '../support/letters.ts';
import { print } from '../support/print.ts';
import { addProduct, call, type Seller, signUp } from '../support/seller.ts';
import { attempted } from '../support/waits.ts';

/** Bound: an account whose address is not verified sends emails to nobody, not even to that address. */
const [accounts, orders, ownTexts] = [5, 30, 3];
/** Of a sale: the receipt, the texts of the account's own, and the notice to an address for support that is a stranger's too. */
const emailsOfSale = 1 + ownTexts + 1;

let server: Awaited<ReturnType<typeof startSmtpServer>>;
let cluster: Pick<Cluster, 'baseUrl' | 'close'>;
beforeAll(async () => {
  server = await startSmtpServer();
  const settings = {
    SMTP_URL: server.url,
    EMAIL_FROM: 'mail@platform.example',
    RATE_LIMIT_PER_MINUTE: '6000',
    SIGNUPS_PER_HOUR: '0',
  };
  cluster = await startClusterOn(await createTestNats(), { settings, apart: [] });
});
afterAll(async () => {
  await cluster.close();
  await server.close();
});

async function order(seller: Seller, email: string): Promise<void> {
  const body = { productSlug: 'course', email };
  expect((await seller.call('POST', '/api/v1/orders', { body })).status).toBe(200);
}

test('unverified accounts send no email to strangers, by whichever way; a verified one sends its receipts', async () => {
  const spammers = await Promise.all(Array.from({ length: accounts }, () => signUp(cluster.baseUrl)));
  for (const [n, spammer] of spammers.entries()) {
    await addProduct(spammer);
    await spammer.call('PATCH', '/api/v1/settings', { body: { supportEmail: `stranger-${n}@victim.example` } });
    for (let text = 0; text < ownTexts; text += 1) {
      const action = { type: 'email', to: 'buyer', subject: 'You have won', body: 'Come to https://spam.example' };
      const body = { name: `Spam ${text}`, event: 'order.paid', action };
      expect((await spammer.call('POST', '/api/v1/automations', { body })).status).toBe(200);
    }
  }
  const honest = await signUp(cluster.baseUrl);
  await addProduct(honest);
  await verifyAddress(cluster.baseUrl, honest, server);
  // Its notices of sales would go there.
  await honest.call('PATCH', '/api/v1/settings', { body: { supportEmail: 'support@victim.example' } });

  const sell = (spammer: Seller, n: number) =>
    Promise.all(Array.from({ length: orders }, (_, sale) => order(spammer, `stranger-${n}-${sale}@victim.example`)));
  await Promise.all(spammers.map(sell));
  await order(honest, 'grace@buyer.example');
  for (const { accountId } of spammers) await attempted(accountId, orders * emailsOfSale);
  await server.receivedEmails(1, ({ to }) => to === 'grace@buyer.example');
  const own = spammers.map(({ email }) => email);
  // The platform's own letter asks an address for support whether it is one, in fixed words.
  const isAsked = (text: string) => text.includes('/letters/support-email/');
  const toStrangers = server.received.filter(
    ({ to, text }) =>
      (to.endsWith('@victim.example') && !isAsked(text)) || (own.includes(to) && text.includes('You have won')),
  );
  print(
    `relay: ${accounts} unverified accounts tried ${accounts * orders * emailsOfSale} emails to strangers; ` +
      `${toStrangers.length} arrived, and the receipt of a verified one did`,
  );
  expect(toStrangers).toEqual([]);
});

/** Bound: an address that accounts name for support gets so many of the platform's letters a day, and nothing else. */
const [namingAccounts, supportLettersMax] = [8, 5];

test('a stranger whom verified accounts name as their address for support gets five fixed letters, and nothing of the sales', async () => {
  const stranger = 'named@victim.example';
  const accounts = await Promise.all(
    Array.from({ length: namingAccounts }, () => signUp(cluster.baseUrl, 'Come to spam.example')),
  );
  for (const account of accounts) {
    await addProduct(account);
    await verifyAddress(cluster.baseUrl, account, server);
    const body = { supportEmail: stranger };
    expect((await account.call('PATCH', '/api/v1/settings', { body })).status).toBe(200);
    await order(account, 'buyer@victim.example');
    // The receipt, and the notice of the sale.
    await attempted(account.accountId, 2);
  }
  await server.receivedEmails(supportLettersMax, ({ to }) => to === stranger);
  const arrived = server.received.filter(({ to }) => to === stranger);
  print(`relay: ${namingAccounts} verified accounts named a stranger for support, who got ${arrived.length} letters`);
  expect(arrived).toHaveLength(supportLettersMax);
  for (const { text } of arrived) {
    expect(text).toContain('/letters/support-email/');
    expect(text).not.toContain('spam.example');
  }
});

/** Bound: ten emails of one kind from one account to one recipient a day, where no processor was really paid. */
const [recorded, simulated, ofKindMax] = [30, 30, 10];

test('a verified account sends a stranger ten receipts and ten texts of its own, however many sales it makes up', async () => {
  const spammer = await signUp(cluster.baseUrl);
  const { slug } = await addProduct(spammer);
  await verifyAddress(cluster.baseUrl, spammer, server);
  const action = { type: 'email', to: 'buyer', subject: 'You have won', body: 'Come to https://spam.example' };
  const body = { name: 'Spam', event: 'order.paid', action };
  expect((await spammer.call('POST', '/api/v1/automations', { body })).status).toBe(200);
  const { handle } = (await spammer.call('GET', '/api/v1/settings')).json;
  const email = 'stranger@victim.example';
  const buy = async (): Promise<void> => {
    const opened = await call(cluster.baseUrl, 'POST', '/api/checkout', { body: { handle, slug, email } });
    const { status, json } = await call(cluster.baseUrl, 'POST', `/api/checkout/${opened.json.id}/pay`, {
      headers: { 'x-checkout-secret': opened.json.secret },
      body: { paymentMethod: 'sim_ok', confirmRepeat: true },
    });
    expect([status, json.status]).toEqual([200, 'paid']);
  };
  for (let n = 0; n < recorded; n += 1) await order(spammer, email);
  for (let n = 0; n < simulated; n += 1) await buy();
  // The receipt, the text of its own, and the notice to itself.
  await attempted(spammer.accountId, 3 * (recorded + simulated));
  const arrived = server.received.filter(({ to }) => to === email);
  const own = arrived.filter(({ text }) => text.includes('You have won')).length;
  print(
    `relay: a verified account made up ${recorded} recorded and ${simulated} simulated sales to one stranger, who got ` +
      `${arrived.length - own} receipts and ${own} other emails`,
  );
  expect([arrived.length - own, own]).toEqual([ofKindMax, ofKindMax]);
});
