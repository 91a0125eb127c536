import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import type { CardRequest, ProcessorCall } from '../../src/processors/port.ts';
import { readBookEntries } from '../../src/processors/simulated/simulated-books.ts';
import { type Fault, faultyProcessor, randomFaults, scripted, seededRandom } from './faulty-processor.ts';
import { clock, openSimulated, processor, run } from './simulated-set-up.ts';

openSimulated();

const accountId = newId('account', clock.nowMs());
const request = (): CardRequest => ({
  paymentId: newId('payment', Date.now()),
  amountCents: 4_900,
  currency: 'usd',
  paymentMethod: 'sim_ok',
  customerEmail: 'ada@example.com',
  orderId: newId('order', Date.now()),
  returnUrl: null,
});
const callWith = (signal = AbortSignal.timeout(60_000)): ProcessorCall => ({
  accountId,
  secretKey: undefined,
  test: false,
  signal,
});
const sendings = async ({ paymentId }: CardRequest): Promise<number> => {
  const entries = await readBookEntries(run, accountId, clock.now());
  return entries.find((entry) => entry.paymentId === paymentId)?.sendings ?? 0;
};

test.each([
  { fault: 'answered', arrives: 1, answers: true },
  { fault: 'throws_before', arrives: 0, answers: false },
  { fault: 'throws_after', arrives: 1, answers: false },
  { fault: 'doubled', arrives: 2, answers: true },
  { fault: 'raced', arrives: 2, answers: true },
  { fault: 'answered_a_day_late', arrives: 1, answers: true },
] as const)('$fault: the request arrives $arrives times', async ({ fault, arrives, answers }) => {
  const faulty = faultyProcessor(processor, scripted(fault), clock);
  const sent = request();
  const startMs = clock.nowMs();
  const outcome = await faulty.charge(sent, callWith()).catch((err: unknown) => err);
  expect(outcome instanceof Error).toBe(!answers);
  expect(await sendings(sent)).toBe(arrives);
  expect(clock.nowMs() - startMs).toBe(fault === 'answered_a_day_late' ? 86_400_000 : 0);
  expect(faulty.calls).toEqual([{ method: 'charge', paymentId: sent.paymentId, fault }]);
});

test.each([
  { fault: 'request_lost', arrives: 0 },
  { fault: 'answer_lost', arrives: 1 },
] as const)('$fault: no answer comes until the deadline', async ({ fault, arrives }) => {
  const faulty = faultyProcessor(processor, scripted(fault));
  const sent = request();
  const limit = new AbortController();
  const silent = expect(faulty.charge(sent, callWith(limit.signal))).rejects.toThrow('the deadline has passed');
  await faulty.arrived();
  limit.abort(new Error('the deadline has passed'));
  await silent;
  expect(await sendings(sent)).toBe(arrives);
});

test('late: requests arrive after their deadlines, last sent first', async () => {
  const faulty = faultyProcessor(processor, () => 'late');
  const sent = [request(), request(), request()];
  const limit = new AbortController();
  const silent = sent.map((each) => expect(faulty.charge(each, callWith(limit.signal))).rejects.toThrow('passed'));
  limit.abort(new Error('the deadline has passed'));
  await Promise.all(silent);
  expect(faulty.waiting).toBe(3);
  expect(await Promise.all(sent.map(sendings))).toEqual([0, 0, 0]);
  await faulty.deliverLate();
  expect(faulty.waiting).toBe(0);
  const entries = await readBookEntries(run, accountId, clock.now());
  expect(entries.slice(-3).map(({ paymentId }) => paymentId)).toEqual(
    sent.map(({ paymentId }) => paymentId).toReversed(),
  );
});

test('look-up and list fail as configured', async () => {
  const faulty = faultyProcessor(processor, scripted('throws_before', 'throws_before'));
  await expect(faulty.lookUp({ call: 'charge', request: request() }, callWith())).rejects.toThrow(
    'broke the connection',
  );
  expect(() => faulty.list(new Date(0), clock.now(), callWith())).toThrow('broke the connection');
  expect(await faulty.lookUp({ call: 'charge', request: request() }, callWith())).toBeNull();
});

test('the same seed gives the same faults, about as many as were requested', () => {
  const faults: Fault[] = ['throws_before', 'throws_after', 'doubled'];
  const draw = (seed: number) => Array.from({ length: 1_000 }, randomFaults(seededRandom(seed), 0.3, faults));
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  const drawn = draw(7).filter((fault) => fault !== 'answered');
  expect(drawn.length).toBeGreaterThan(230);
  expect(drawn.length).toBeLessThan(370);
  expect(new Set(drawn)).toEqual(new Set(faults));
});
