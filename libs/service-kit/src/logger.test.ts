import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger, type Logger, silentLogger } from './logger.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logger-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function written(write: (logger: Logger) => void): Promise<string> {
  const destination = join(folder, 'log', 'service.log');
  const logger = createLogger({ service: 'checkout', level: 'info', destination });
  write(logger);
  await new Promise<void>((resolve, reject) => logger.flush((err) => (err ? reject(err) : resolve())));
  return await readFile(destination, 'utf8');
}

test('one line of JSON per call, with service, time and message', async () => {
  const line = JSON.parse(await written((logger) => logger.info({ accountId: 'acc_1' }, 'order placed')));
  expect(line).toMatchObject({ service: 'checkout', accountId: 'acc_1', msg: 'order placed' });
  expect(new Date(line.time).toISOString()).toBe(line.time);
});

test('secret fields are redacted at the top and one level down', async () => {
  const secrets = { authorization: 's3cret', cookie: 's3cret', apiKey: 's3cret', key: 's3cret', password: 's3cret' };
  const more = { secret: 's3cret', token: 's3cret', paymentMethod: { card: 's3cret' } };
  const text = await written((logger) => logger.info({ ...secrets, ...more, headers: { ...secrets, ...more } }));
  expect(text).not.toContain('s3cret');
  expect(text).toContain('authorization');
});

test('API keys, webhook secrets and the passwords of URLs are masked inside errors and their causes', async () => {
  const apiKey = `fnl_${'aZ09'.repeat(10).slice(0, 38)}`;
  const text = await written((logger) => {
    const stripe = 'by rk_live_51Hx for pi_3Ab_secret_9Zz';
    const cause = new Error(`signed with whsec_c2VjcmV0LXdvcmQ= at postgres://shop:hunter2@db/shop ${stripe}`);
    logger.error({ err: new Error(`no account for ${apiKey}`, { cause }) });
  });
  expect(text).not.toContain(apiKey);
  expect(text).not.toContain('c2VjcmV0');
  expect(text).not.toContain('hunter2');
  const { err } = JSON.parse(text);
  expect(err.message).toBe('no account for fnl_[redacted]');
  expect(err.cause.message).toBe(
    'signed with whsec_[redacted] at postgres://shop:[redacted]@db/shop by rk_live_[redacted] for pi_3Ab_secret_[redacted]',
  );
});

test('what PostgreSQL says of a row is in no line: not in the message, not in the stack, not in the cause', async () => {
  const shown = {
    severity: 'ERROR',
    detail: 'Key (email)=(ann@example.com) already exists.',
    where: 'ann@example.com',
  };
  const taken = Object.assign(
    new Error(`duplicate key value violates unique constraint "users_email"\n - detail: ${shown.detail}`),
    { ...shown, code: '23505', constraint: 'users_email' },
  );
  const unread = Object.assign(new Error('invalid input syntax for type integer: "ann@example.com"'), {
    ...shown,
    code: '22P02',
  });
  const text = await written((logger) => {
    logger.error({ err: taken });
    logger.error(unread);
    logger.error({ err: new Error('failed', { cause: taken }) }, 'request failed');
  });
  expect(text).not.toContain('ann@example.com');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({
    msg: 'duplicate key value violates unique constraint "users_email"',
    err: { code: '23505', constraint: 'users_email' },
  });
  expect(lines[1]).toMatchObject({ msg: 'invalid input syntax for type integer: "…"', err: { code: '22P02' } });
});

test('email addresses are masked wherever they are: a mail server repeats its recipients in what it says', async () => {
  const said = '550 5.1.1 <ann.o’neil+shop@mail.example.com>: no such user; write postmaster@bücher.example';
  const text = await written((logger) => {
    logger.info({ problem: `1 reminder was refused (${said}).` }, 'reminders');
    logger.info({ error: said }, 'attempt failed');
    logger.warn({ err: new Error(said) });
  });
  expect(text).not.toMatch(/neil|postmaster|bücher|mail\.example/);
  const masked = '550 5.1.1 <[email]>: no such user; write [email]';
  const [reminders, attempt, thrown] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(reminders.problem).toBe(`1 reminder was refused (${masked}).`);
  expect(attempt.error).toBe(masked);
  expect(thrown).toMatchObject({ msg: masked, err: { message: masked } });
  expect(thrown.err.stack).toContain(import.meta.filename);
});

test('masking a line leaves it JSON, with addresses of servers and packages as they are', async () => {
  const fields = {
    nats: 'nats://127.0.0.1:4222',
    path: '/node_modules/@app/kit/a.ts',
    version: 'undici@8.1.0',
    at: '@',
  };
  const line = JSON.parse(await written((logger) => logger.info({ ...fields, buyer: 'ann@example.com', last: 'x' })));
  expect(line).toMatchObject({ ...fields, buyer: '[email]', last: 'x' });
});

test.each(['\n', '\t', '\\', '\\\n', '"', '\u0001', '\\u0061'])(
  'an address after %j leaves a line JSON',
  async (text) => {
    const line = JSON.parse(await written((logger) => logger.info({ text: `to:${text}ann@example.com${text}` })));
    expect(line.text).not.toContain('example');
    expect(line.text).toMatch(/\[email\]/);
  },
);

test('the silent logger answers to no level', () => {
  expect(silentLogger().isLevelEnabled('fatal')).toBe(false);
});
