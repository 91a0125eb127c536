import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardLeaks } from '@app/testing/leak-guard';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { EmailMessage } from '../src/email-transport.ts';
import { keptFilesMax } from '../src/file-transport.ts';
import { createEmailTransport } from '../src/transports.ts';

guardLeaks();

let server: Awaited<ReturnType<typeof startSmtpServer>>;
beforeEach(async () => {
  server = await startSmtpServer();
});
afterEach(() => server.close());

const message = (change: Partial<EmailMessage> = {}): EmailMessage => ({
  id: 'rmd_1',
  fromName: 'Ada’s Courses',
  to: 'bob@example.com',
  replyTo: 'help@example.com',
  subject: 'Your checkout',
  text: 'Plain text',
  html: '<p>HTML</p>',
  headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  date: new Date('2026-01-31T12:00:00.000Z'),
  ...change,
});
const smtp = (url = server.url) => createEmailTransport({ SMTP_URL: url, EMAIL_FROM: 'mail@shop.example' });
/** As long as a message may take at most. */
const messageMs = 60_000;

test('a message arrives with its parts and headers', async () => {
  expect(await smtp().send(message())).toEqual({ outcome: 'taken' });
  const [received] = server.received;
  expect(received).toMatchObject({ from: 'mail@shop.example', to: 'bob@example.com' });
  for (const line of [
    'Message-ID: <rmd_1@shop.example>',
    'Reply-To: help@example.com',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    'Date: Sat, 31 Jan 2026 12:00:00 +0000',
  ]) {
    expect(received?.text).toContain(`${line}\r\n`);
  }
  expect(received?.text).toContain('Content-Type: text/plain');
  expect(received?.text).toContain('Content-Type: text/html');
});

test('no value becomes a header or another recipient of its own', async () => {
  const evil = 'x\r\nBcc: eve@example.com\r\n\r\nbody\u2028Bcc: eve@example.com';
  const hostile = { fromName: evil, subject: evil, replyTo: `help@example.com${evil}`, headers: { 'X-Test': evil } };
  expect(await smtp().send(message(hostile))).toEqual({ outcome: 'taken' });
  const [received] = server.received;
  expect(received?.to).toBe('bob@example.com');
  const [head = ''] = received?.text.split('\r\n\r\n') ?? [];
  expect(head.split('\r\n').filter((line) => /^(bcc|body)/i.test(line))).toEqual([]);
});

test.each([
  ['greeting', 'hang up', 'unreachable'],
  ['greeting', '421 later', 'unreachable'],
  ['MAIL', '451 busy', 'unreachable'],
  ['RCPT', '421 closing', 'unreachable'],
  ['MAIL', 'hang up', 'unreachable'],
  ['RCPT', '550 no such user', 'refused'],
  ['DATA', '554 no', 'refused'],
  ['DATA', 'hang up', 'unreachable'],
  ['message', '554 spam', 'refused'],
  ['message', '451 try again', 'deferred'],
  ['RCPT', '450 later', 'deferred'],
  ['message', 'hang up', 'unknown'],
] as const)('%s: %s is %s', async (step, reply, outcome) => {
  server.behaviour[step] = reply;
  const submission = await smtp().send(message());
  expect(submission.outcome).toBe(outcome);
  if (outcome === 'refused') expect((submission as { detail: string }).detail).toContain(reply);
});

test.each([
  ['greeting', 'unreachable'],
  ['RCPT', 'unreachable'],
  ['message', 'unknown'],
] as const)('%s: silent is %s', async (step, outcome) => {
  const reached = Promise.withResolvers<void>();
  server.behaviour[step] = () => {
    reached.resolve();
    return 'silent';
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const sending = smtp().send(message());
    await reached.promise;
    await vi.advanceTimersByTimeAsync(messageMs);
    expect((await sending).outcome).toBe(outcome);
  } finally {
    vi.useRealTimers();
  }
});

test('an address that no server takes is refused, and is no reason to give up on the next one', async () => {
  for (const to of ['', 'a<b>@example.com'])
    expect(await smtp().send(message({ to }))).toMatchObject({ outcome: 'refused' });
  expect(server.received).toEqual([]);
  expect(await smtp().send(message())).toEqual({ outcome: 'taken' });
});

test('the envelope of an address with a domain in other letters is in ASCII', async () => {
  expect(await smtp().send(message({ to: 'Info@münchen.example' }))).toEqual({ outcome: 'taken' });
  expect(server.received).toMatchObject([{ to: 'Info@xn--mnchen-3ya.example' }]);
  expect(server.received[0]?.text).toContain('To: Info@xn--mnchen-3ya.example\r\n');
});

test('an address with other letters before the @ goes to a server that offers SMTPUTF8, and to no other', async () => {
  const refusal = 'the mail server takes addresses in ASCII alone: it does not offer SMTPUTF8';
  const toOzlem = message({ to: 'Özlem@münchen.example' });
  expect(await smtp().send(toOzlem)).toEqual({ outcome: 'refused', detail: refusal });
  expect(server.received).toEqual([]);
  server.behaviour.EHLO = '250-here\r\n250-8BITMIME\r\n250 SMTPUTF8';
  expect(await smtp().send(toOzlem)).toEqual({ outcome: 'taken' });
  expect(server.received).toMatchObject([{ to: 'Özlem@xn--mnchen-3ya.example' }]);
});

test('a server that is not there is unreachable, and its password is in no word about it', async () => {
  const url = server.url.replace('smtp://', 'smtp://bob:secret-word@');
  const refused = await smtp(url).send(message());
  expect(refused).toMatchObject({ outcome: 'unreachable' });
  await server.close();
  const away = await smtp(url).send(message());
  expect(away).toMatchObject({ outcome: 'unreachable' });
  expect(JSON.stringify([refused, away])).not.toContain('secret-word');
  const { detail, cause } = away as { detail: string; cause: string };
  expect(detail).toBe('the mail server cannot be reached: ECONNREFUSED');
  expect(cause).toContain('127.0.0.1');
  server = await startSmtpServer();
});

test('without a server a message is a whole file that only its owner reads; written again it is one file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emails-'));
  const files = createEmailTransport({ EMAIL_DIR: join(folder, 'new') });
  expect(await files.send(message())).toEqual({ outcome: 'taken' });
  expect(await files.send(message({ text: 'Changed' }))).toEqual({ outcome: 'taken' });
  expect(readdirSync(join(folder, 'new'))).toEqual(['rmd_1.eml']);
  const path = join(folder, 'new', 'rmd_1.eml');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toContain('Changed');
  const blocked = createEmailTransport({ EMAIL_DIR: path });
  const detail = 'the file could not be written: EEXIST';
  expect(await blocked.send(message())).toEqual({
    outcome: 'unreachable',
    detail,
    cause: expect.stringContaining(path),
  });
  rmSync(folder, { recursive: true });
});

test('the newest files stay, as many as are kept; whatever else is in the folder stays too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emails-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const add = (name: string, year: string) => {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), new Date(`${year}-01-01`), new Date(`${year}-01-01`));
  };
  const oldest = ['killed.eml.part', 'ltr_1.eml', 'rmd_2.eml'];
  oldest.forEach((name, index) => void add(name, String(2001 + index)));
  add('notes.txt', '2000');
  for (let n = 1; n < keptFilesMax; n += 1) add(`whd_${n}.eml`, '2020');
  const files = createEmailTransport({ EMAIL_DIR: folder });
  await files.send(message());
  const left = () => readdirSync(folder).filter((name) => name !== 'notes.txt');
  expect(left()).toHaveLength(keptFilesMax);
  expect(left()).toContain('rmd_1.eml');
  for (const name of oldest) expect(left()).not.toContain(name);
  expect(readdirSync(folder)).toContain('notes.txt');
  // It goes on as long as emails are written.
  for (let n = 1; n <= 100; n += 1) await files.send(message({ id: `new_${n}` }));
  expect(left()).toHaveLength(keptFilesMax);
  expect(left()).toContain('new_1.eml');
});
