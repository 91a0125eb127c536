import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ReceiverResponse, startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { expect, test } from 'vitest';

guardLeaks();

const entry = fileURLToPath(new URL('../main.ts', import.meta.url));
const soon = { 'retry-after': '0' };
const inUse: ReceiverResponse = { status: 409, headers: soon, body: '{"code":"idempotency_key_in_use"}' };
const away: ReceiverResponse = { status: 503, headers: soon, body: '{"code":"outcome_unknown"}' };
const ran: ReceiverResponse = { status: 200, body: '{"ok":true}' };

/** Runs the caller against a gateway that gives these answers, the last one for ever; once for each list of arguments. */
async function callWith(answers: ReceiverResponse[], ...runs: string[][]) {
  const gateway = await startReceiver({
    respond: (_, n) => answers[Math.min(n, answers.length) - 1] as ReceiverResponse,
  });
  try {
    const env = { GATEWAY_URL: gateway.url, PLATFORM_KEY: 'key' };
    const codes: number[] = [];
    for (const args of runs) {
      const code = await new Promise<number>((resolve) =>
        execFile(process.execPath, [entry, ...args], { env }, (err) => resolve(err === null ? 0 : Number(err.code))),
      );
      codes.push(code);
    }
    return { codes, keys: gateway.requests.map(({ headers }) => headers['idempotency-key']) };
  } finally {
    await gateway.close();
  }
}

test('a job that outlasts its answer is one run: every try asks under the key of the day, a key in use means later', async () => {
  const { codes, keys } = await callWith([away, inUse, { status: 429, headers: soon }, inUse, ran], []);
  expect(codes).toEqual([0]);
  expect(keys).toHaveLength(5);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^daily-\d{4}-\d\d-\d\d-once$/);
});

test('a caller that comes again on the same day asks for the same run; on purpose it runs again', async () => {
  const { codes, keys } = await callWith([ran], [], [], ['--again'], ['--again']);
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});

test.each([
  [1, { status: 401, body: '{"code":"unauthorized"}' }],
  [1, { status: 409, body: '{"code":"something_else"}' }],
  [1, { status: 422, body: 'no JSON' }],
  [2, { status: 200, body: '{"ok":false}' }],
])('exit code %d says so at once: %j', async (code, answer) => {
  const { codes, keys } = await callWith([answer], []);
  expect(codes).toEqual([code]);
  expect(keys).toHaveLength(1);
});
