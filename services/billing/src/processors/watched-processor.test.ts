import { setMetrics } from '@app/service-kit/metrics';
import { afterEach, expect, test } from 'vitest';
import type { PaymentProcessor } from './port.ts';
import { watchProcessor } from './watched-processor.ts';

const recorded: unknown[] = [];
const meter = { createHistogram: () => ({ record: (_: number, attributes: object) => recorded.push(attributes) }) };
setMetrics({ meterOf: () => meter, page: async () => '' } as unknown as Parameters<typeof setMetrics>[0]);
afterEach(() => recorded.splice(0));

class Sample {
  readonly name = 'sample';
  readonly #secret = 'kept';
  async charge() {
    return { status: 'succeeded', reference: this.#secret };
  }
  async lookUp() {
    return null;
  }
  async capture() {
    throw new TypeError('broken');
  }
  async authorize() {}
  async saveMethod() {}
  async chargeSaved() {}
  async refund() {}
  async release() {}
  async readDispute() {}
  async *list() {
    yield this.#secret;
  }
}
const sample = () => watchProcessor(new Sample() as unknown as PaymentProcessor);
const call = {} as never;

test('each call is recorded with what it was and how it ended, and ends as it would', async () => {
  const processor = sample();
  expect(await processor.charge(call, call)).toEqual({ status: 'succeeded', reference: 'kept' });
  expect(await processor.lookUp(call, call)).toBeNull();
  await expect(processor.capture(call, call)).rejects.toThrow('broken');
  const of = { 'payment.processor': 'sample' };
  expect(recorded).toEqual([
    { ...of, 'payment.operation': 'charge', 'payment.outcome': 'succeeded' },
    { ...of, 'payment.operation': 'lookUp', 'payment.outcome': 'none' },
    { ...of, 'payment.operation': 'capture', 'payment.outcome': 'TypeError' },
  ]);
});

test('what is no single call is the processor’s own', async () => {
  const processor = sample();
  expect(processor.name).toBe('sample');
  const listed: unknown[] = [];
  for await (const record of processor.list(call, call, call)) listed.push(record);
  expect([listed, recorded]).toEqual([['kept'], []]);
});
