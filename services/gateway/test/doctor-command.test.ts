import { startReceiver } from '@app/testing/http-receiver';
import { startSmtpServer } from '@app/testing/smtp-server';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { runDoctorCommand } from '../src/doctor-command.ts';
import { createSeller } from './harness.ts';
import { harness, startGateway, url } from './set-up.ts';

/** Guarantee: beside the gateway of a deployment one command says what is wrong with it, and names what it does not see from there. */
startGateway();

async function doctor(settings: Record<string, string> = {}) {
  const lines: string[] = [];
  const port = settings.PORT ?? new URL(url).port;
  const config = readConfig({ ...harness.env, INSTALLATION_ID: 'one', ...settings, PORT: port });
  const code = await runDoctorCommand(config, (text) => void lines.push(text));
  return { code, output: lines.join('') };
}

test('of a deployment that works nothing is bad, and what is not seen from the gateway is named', async () => {
  const { code, output } = await doctor();
  // Three services of the harness answer.
  expect([code, output]).toEqual([
    2,
    expect.stringMatching(/BAD {3}services: degraded: affiliate, metrics\n {6}Look at docker/),
  ]);
  const fine = ['settings: none', 'clock: PostgreSQL differs', 'daily job: has not run yet', 'addresses: all'];
  for (const line of [...fine, 'Stripe: no account sells through it']) expect(output).toContain(`ok    ${line}`);
  for (const about of ['disk', 'backup']) expect(output).toContain(`note  ${about}: is not seen from here`);
  expect(output.match(/BAD/g)).toHaveLength(1);
});

test('a proxy without its number, a mail server that is away and a first run that is missing are bad', async () => {
  const { accountId } = await createSeller(url);
  await query(harness.database.url, `update accounts set created_at = created_at - interval '3 days' where id = $1`, [
    accountId,
  ]);
  const server = await startSmtpServer();
  const mail = { SMTP_URL: server.url, EMAIL_FROM: 'shop@example.com' };
  expect((await doctor(mail)).output).toContain('ok    mail: the mail server answers');
  await server.close();
  const { code, output } = await doctor({ ...mail, PUBLIC_URL: 'https://shop.example.com', INSTALLATION_ID: '' });
  expect(code).toBe(2);
  expect(output).toContain('BAD   proxy: all callers count as one address');
  expect(output).toContain('BAD   mail: the mail server does not answer');
  expect(output).toMatch(
    /BAD {3}daily job: no daily run yet, though one was due at .*\n {6}docker compose run --rm daily/,
  );
  expect(output).toContain('BAD   settings: INSTALLATION_ID is missing');
});

test('a gateway that does not run hides nothing of what can be seen', async () => {
  const { code, output } = await doctor({ PORT: '1' });
  expect([code, output]).toEqual([2, expect.stringContaining('BAD   services: no answer')]);
  expect(output).toContain('BAD   daily job: could not be looked at');
  expect(output).toContain('ok    clock: PostgreSQL differs');
});

test('what billing finds of accounts at Stripe is told, and whether the address for their events leads here', async () => {
  const states = [
    { state: 'fine' as const, accounts: 2, examples: ['acc_1', 'acc_2'] },
    { state: 'key_refused' as const, accounts: 1, examples: ['acc_3'] },
  ];
  harness.processors.atStripe = { states, last_event_at: '2026-11-29T11:59:00.000Z' };
  const { output } = await doctor({ PUBLIC_URL: url });
  expect(output).toMatch(
    /BAD {3}Stripe: 1 account \(acc_3\): Stripe refuses the key: nothing is charged\n {6}Their sellers/,
  );
  expect(output).toContain('ok    Stripe: 2 accounts: their keys are accepted');
  expect(output).toContain('ok    Stripe: the last event came at 2026-11-29T11:59:00.000Z');
  expect(output).toContain('ok    Stripe: the address for events answers');
  const elsewhere = await startReceiver();
  expect((await doctor({ PUBLIC_URL: elsewhere.url })).output).toContain(
    `BAD   Stripe: ${elsewhere.url}/api/processors/stripe/doctor is answered with 200, and not by this deployment`,
  );
  await elsewhere.close();
  expect((await doctor({ PUBLIC_URL: elsewhere.url })).output).toContain(
    `note  Stripe: ${elsewhere.url}/api/processors/stripe/doctor is not reached from here`,
  );
  harness.processors.atStripe = { states: [], last_event_at: null };
});

test('without NATS the accounts at Stripe are not looked at, and the rest is', async () => {
  const { output } = await doctor({ NATS_URL: 'nats://127.0.0.1:1' });
  expect(output).toContain('BAD   Stripe: could not be looked at');
  expect(output).toContain('  addresses: ');
});
