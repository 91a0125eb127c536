import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ReceiverResponse, startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { expect, test } from 'vitest';
import { requestDailyJob } from '../daily-job.ts';

guardLeaks();

const entry = fileURLToPath(new URL('../main.ts', import.meta.url));
const soon = { 'retry-after': '0' };
const inUse: ReceiverResponse = { status: 409, headers: soon, body: '{"code":"idempotency_key_in_use"}' };
const away: ReceiverResponse = { status: 503, headers: soon, body: '{"code":"outcome_unknown"}' };
const ran: ReceiverResponse = { status: 200, body: '{"ok":true}' };

const notOk = {
  ok: false,
  rebills: { charged: 12, chargedCents: 23_780, retried: 1, canceled: 1 },
  ...{ recovery: { sent: 3, recovered: 1 }, holdsSettled: 4, waiting: 9 },
  chargedByCurrency: { eur: 3_800, jpy: 980, usd: 19_000 },
  problems: [{ code: 'charge_limit', detail: 'too much is due' }],
};

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In this process. */
async function runJob(env: Record<string, string>, ...args: string[]): Promise<Ran> {
  let [stdout, stderr] = ['', ''];
  const code = await requestDailyJob(args, {
    env,
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr };
}

/** As a process of its own. */
const runMain = (env: Record<string, string>, ...args: string[]): Promise<Ran> =>
  new Promise((resolve) =>
    execFile(process.execPath, [entry, ...args], { env }, (err, stdout, stderr) =>
      resolve({ code: err === null ? 0 : Number(err.code), stdout, stderr }),
    ),
  );

/** Gives these answers to requests for the job, the last one for ever; who waits for three seconds also queries its progress. */
async function startGateway(...answers: ReceiverResponse[]) {
  const jobs = () => gateway.requests.filter(({ method }) => method === 'POST');
  const gateway = await startReceiver({
    respond: ({ method }) =>
      method === 'POST' ? (answers[Math.min(jobs().length, answers.length) - 1] as ReceiverResponse) : { status: 404 },
  });
  return { ...gateway, jobs };
}

/** Runs the caller against a gateway that gives these answers; once for each list of arguments. */
async function callWith(answers: ReceiverResponse[], ...runs: string[][]) {
  const gateway = await startGateway(...answers);
  try {
    const env = { GATEWAY_URL: gateway.url, PLATFORM_KEY: 'key' };
    const codes: number[] = [];
    for (const args of runs) codes.push((await runJob(env, ...args)).code);
    return { codes, keys: gateway.jobs().map(({ headers }) => headers['idempotency-key']) };
  } finally {
    await gateway.close();
  }
}

test('a job that outlasts its answer is one run: every attempt is made under the key of the day, a key in use means later', async () => {
  const { codes, keys } = await callWith([away, inUse, { status: 429, headers: soon }, inUse, ran], []);
  expect(codes).toEqual([0]);
  expect(keys).toHaveLength(5);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^daily-\d{4}-\d\d-\d\d-once$/);
});

test('a caller that comes again on the same day gets the same run; on purpose it runs again', async () => {
  const { codes, keys } = await callWith([ran], [], [], ['--again'], ['--again']);
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});

test('the result is printed to be read, its problems too; --force is passed on', async () => {
  const gateway = await startGateway({ status: 200, body: JSON.stringify(notOk) });
  try {
    const { code, stdout } = await runMain({ BASE_URL: gateway.url, API_KEY: 'seller' }, '--force');
    expect(code).toBe(0);
    expect(stdout).toContain(
      '12 renewals charged (€38.00 + ¥980 + $190.00), 1 card tried again, 1 subscription canceled',
    );
    expect(stdout).toContain('4 holds settled, 3 reminders sent, 1 checkout recovered');
    expect(stdout).toContain('9 charges left to the next run');
    expect(stdout).toContain('problem charge_limit: too much is due');
    expect(stdout).toContain('npm run daily -- --force');
    expect(stdout).not.toContain('{');
    expect(stdout).toContain('not ok');
    expect(gateway.jobs()[0]?.headers.authorization).toBe('Bearer seller');
    expect(gateway.jobs()[0]?.body).toBe('{"force":true}');
  } finally {
    await gateway.close();
  }
});

test.each([['--bogus'], ['--again', '--forse'], ['--again', 'force'], ['--force=yes'], ['--every-day', '--force']])(
  'arguments it does not know end it before anything is called: %s %s',
  async (...args) => {
    const gateway = await startReceiver({ respond: () => ran });
    try {
      const { code, stderr } = await runJob({ BASE_URL: gateway.url, API_KEY: 'seller' }, ...args.filter(Boolean));
      expect([code, stderr]).toEqual([1, expect.stringContaining(args.at(-1)?.split('=')[0] as string)]);
      expect(stderr).toContain('npm run daily -- --help');
      expect(gateway.requests).toEqual([]);
    } finally {
      await gateway.close();
    }
  },
);

test('--help says how it is used and runs nothing, also where no key is set', async () => {
  const { code, stdout, stderr } = await runMain({ DATA_DIR: '/nowhere' }, '--again', '--help');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('npm run daily -- --force');
});

test('address and key are those that npm start has written, unless the environment names others', async () => {
  const gateway = await startGateway(ran);
  const dir = mkdtempSync(join(tmpdir(), 'daily-job-'));
  try {
    writeFileSync(join(dir, 'credentials.json'), JSON.stringify({ baseUrl: gateway.url, platformKey: 'written' }));
    expect((await runJob({ DATA_DIR: dir }, '--again')).code).toBe(0);
    expect((await runJob({ DATA_DIR: dir, PLATFORM_KEY: 'given' }, '--again')).code).toBe(0);
    expect(gateway.jobs().map(({ headers }) => headers.authorization)).toEqual(['Bearer written', 'Bearer given']);
  } finally {
    rmSync(dir, { recursive: true });
    await gateway.close();
  }
});

test('run at once on request, an unreachable address is exit code 1 at once, and so is a setting that is missing', async () => {
  const away = await runJob({ BASE_URL: 'http://127.0.0.1:1', API_KEY: 'k' }, '--again');
  expect([away.code, away.stdout]).toEqual([1, expect.stringContaining('fetch failed')]);
  const unset = await runMain({ DATA_DIR: '/nowhere' }, '--again');
  expect([unset.code, unset.stderr]).toEqual([1, expect.stringContaining('credentials.json')]);
});

test('while it waits it says how far the run is', async () => {
  const announced = Promise.withResolvers<void>();
  const gateway = await startReceiver({
    respond: async ({ method, path }) => {
      const json = (value: unknown): ReceiverResponse => ({ status: 200, body: JSON.stringify(value) });
      if (method === 'POST') return await announced.promise.then(() => json({ ok: true }));
      if (path.includes('?')) return json({ data: [{ id: 'run_1', finished_at: null }] });
      return json({ id: 'run_1', finished_at: null, progress: { done: 41, left: 59, per_second: 12.5 } });
    },
  });
  const said: string[] = [];
  const code = await requestDailyJob(['--again'], {
    env: { BASE_URL: gateway.url, API_KEY: 'k' },
    progressPauses: { firstAfterMs: 1, everyMs: 50 },
    write: (text) => {
      said.push(text);
      // The result comes once the line is there: what is announced at the same moment may come too late to be printed.
      if (said.join('').includes('41 done, 59 left, 12.5 a second')) announced.resolve();
    },
    writeError: (text) => said.push(text),
  });
  expect([code, said.join('')]).toEqual([0, expect.stringContaining('41 done, 59 left, 12.5 a second')]);
});

test('every day, a run that was missed is requested at the start, and a signal ends the process', async () => {
  const requested = Promise.withResolvers<void>();
  const gateway = await startReceiver({
    respond: ({ method }) => {
      if (method === 'POST') requested.resolve();
      return method === 'POST' ? ran : { status: 200, body: '{"data":[{"started_at":"2026-01-01T03:00:00Z"}]}' };
    },
  });
  const env = { GATEWAY_URL: gateway.url, PLATFORM_KEY: 'key', DAILY_AT: '00:00' };
  const child = spawn(process.execPath, [entry, '--every-day'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await requested.promise;
    const [job] = gateway.requests.filter(({ method }) => method === 'POST');
    expect(job?.headers['idempotency-key']).toMatch(/^daily-\d{4}-\d\d-\d\dT00:00$/);
    expect(job?.headers.authorization).toBe('Bearer key');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await gateway.close();
  }
});

test.each([
  [1, { status: 401, body: '{"code":"unauthorized"}' }],
  [1, { status: 409, body: '{"code":"something_else"}' }],
  [1, { status: 422, body: 'no JSON' }],
  [1, { status: 200, body: '<html>welcome</html>' }],
  [1, { status: 200, body: '{"data":[]}' }],
  [1, { status: 200, body: 'null' }],
  [2, { status: 200, body: '{"ok":false}' }],
])('exit code %d says so at once: %j', async (code, answer) => {
  const { codes, keys } = await callWith([answer], []);
  expect(codes).toEqual([code]);
  expect(keys).toHaveLength(1);
});

test('what a seller must mend is no failure of the job, and what the platform did not do is one', async () => {
  const answerOf = (...codes: string[]): ReceiverResponse => ({
    status: 200,
    body: JSON.stringify({ ...notOk, problems: codes.map((code) => ({ code, detail: 'acc_1: …' })) }),
  });
  for (const [codes, exitCode] of [
    [['charge_limit', 'key_refused', 'charging_stopped'], 0],
    [['key_refused', 'account_failed'], 2],
    [['reminders_failed'], 2],
    [['orders_not_compared'], 2],
    [[], 2],
  ] as const)
    expect([codes, (await callWith([answerOf(...codes)], [])).codes]).toEqual([codes, [exitCode]]);
});

test('a day whose run was not ok runs again at the next pod’s request, and not for an answer of its own', async () => {
  const failed = { ...notOk, problems: [{ code: 'account_failed', detail: 'acc_1: the run made no progress' }] };
  const kept: ReceiverResponse = {
    status: 200,
    headers: { 'idempotent-replayed': 'true' },
    body: JSON.stringify(failed),
  };
  const fresh: ReceiverResponse = { status: 200, body: JSON.stringify(failed) };
  const retried = await callWith([kept, ran], []);
  expect(retried.codes).toEqual([0]);
  expect(new Set(retried.keys).size).toBe(2);
  expect((await callWith([kept, fresh], [])).codes).toEqual([2]);
  const own = await callWith([away, kept], []);
  expect(own.codes).toEqual([2]);
  expect(new Set(own.keys).size).toBe(1);
});
