import { createTestNats } from '@app/testing/nats';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startClusterOn } from '../support/cluster.ts';
import { print } from '../support/print.ts';
import { call } from '../support/seller.ts';

/** Bound: one network makes so many accounts in an hour, and writes to so many strangers by them; other networks sign up meanwhile. */
const [perHour, tried, others] = [10, 60, 5];

let server: Awaited<ReturnType<typeof startSmtpServer>>;
let cluster: Pick<Cluster, 'baseUrl' | 'close'>;
beforeAll(async () => {
  server = await startSmtpServer();
  const mail = { SMTP_URL: server.url, EMAIL_FROM: 'mail@platform.example' };
  const limits = { RATE_LIMIT_PER_MINUTE: '600', SIGNUPS_PER_HOUR: String(perHour), TRUST_PROXY: '1' };
  cluster = await startClusterOn(await createTestNats(), { settings: { ...mail, ...limits }, apart: [] });
});
afterAll(async () => {
  await cluster.close();
  await server.close();
});

const signUp = async (address: string, email: string): Promise<number> => {
  const headers = { 'x-forwarded-for': address };
  const body = { email, password: 'a long enough password', name: 'Come to spam.example' };
  return (await call(cluster.baseUrl, 'POST', '/api/auth/signup', { headers, body })).status;
};
const of = (count: number, make: (n: number) => Promise<number>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

test('a flood of sign-ups from one network makes a bounded number of accounts, and keeps no other network out', async () => {
  const network = (n: number) => `2001:db8:1:2::${(n + 1).toString(16)}`;
  const [flood, quiet] = await Promise.all([
    of(tried, (n) => signUp(network(n), `stranger-${n}@victim.example`)),
    of(others, (n) => signUp(`198.51.100.${n + 1}`, `owner-${n}@shop.example`)),
  ]);
  const made = flood.filter((status) => status === 200).length;
  expect(quiet).toEqual(quiet.map(() => 200));
  await server.receivedEmails(others, ({ to }) => to.endsWith('@shop.example'));
  await server.receivedEmails(made, ({ to }) => to.endsWith('@victim.example'));
  const letters = server.received.filter(({ to }) => to.endsWith('@victim.example'));
  print(
    `sign-ups: ${tried} from one network made ${made} accounts and ${letters.length} letters, ${tried - made} were refused; ` +
      `${others} other networks made ${quiet.length}`,
  );
  expect(made).toBe(perHour);
  expect(new Set(flood)).toEqual(new Set([200, 429]));
  expect(letters).toHaveLength(perHour);
  for (const { text } of letters) expect(text).not.toContain('spam.example');
});
