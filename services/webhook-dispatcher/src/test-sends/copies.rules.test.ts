import { expect, test } from 'vitest';
import { type CopyAnswer, type CopyAnswers, type CopyKind, copyKinds, judgeCopies } from './copies.rules.ts';

const answered = (statusCode: number): CopyAnswer => ({
  accepted: statusCode >= 200 && statusCode < 300,
  statusCode,
  error: null,
  warning: null,
  durationMs: 12,
});
const broke = (error: string): CopyAnswer => ({
  accepted: false,
  statusCode: null,
  error,
  warning: null,
  durationMs: 15_000,
});

/** What a receiver does that checks everything, but for these. */
const answersOf = (change: Partial<CopyAnswers> = {}): CopyAnswers => ({
  ...{ good: answered(200), bad_signature: answered(401), stale: answered(400), doubled: answered(200) },
  ...change,
});
const allAs = (answer: CopyAnswer): CopyAnswers => ({
  good: answer,
  bad_signature: answer,
  stale: answer,
  doubled: answer,
});
const judge = (answers: CopyAnswers) => judgeCopies(answers, 'order ord_1');
const wrongOnes = (answers: CopyAnswers): CopyKind[] =>
  judge(answers)
    .results.filter(({ ok }) => !ok)
    .map(({ copy }) => copy);

test('a receiver that checks everything is reported as such, with what only its seller can see', () => {
  const result = judge(answersOf());
  expect(result).toMatchObject({
    ok: true,
    summary: 'The receiver accepts what is genuine and refuses what is not.',
    results: [
      { copy: 'good', expected: 'accept', ok: true, status_code: 200, error: null, duration_ms: 12 },
      { copy: 'bad_signature', expected: 'refuse', ok: true, status_code: 401 },
      { copy: 'stale', expected: 'refuse', ok: true, status_code: 400 },
      { copy: 'doubled', expected: 'accept', ok: true },
    ],
  });
  expect(result.results[3]?.explanation).toContain('order ord_1 counts once');
});

test('a receiver that accepts everything lets anyone fake a sale', () => {
  const { ok, summary, results } = judge(allAs(answered(204)));
  expect(ok).toBe(false);
  expect(summary).toMatch(/anyone who knows the URL could fake a sale.*old one could be sent again/);
  expect(results.map((each) => each.ok)).toEqual([true, false, false, true]);
});

test.each<[string, CopyAnswers, CopyKind[], RegExp]>([
  ['a wrong secret', allAs(answered(401)), [...copyKinds], /secret there may be an older one.*bytes as they came/],
  ['a redirect', allAs(answered(308)), [...copyKinds], /answered 308.*Redirects are not followed/],
  ['a wrong path', allAs(answered(404)), [...copyKinds], /Nothing takes POST requests at this URL/],
  ['a crash', allAs(answered(500)), [...copyKinds], /answered 500.*its own log/],
  ['a hang', allAs(broke('no complete answer in time')), [...copyKinds], /not accepted: no complete answer in time\.$/],
])('%s: the good copy says why', (_, answers, wrong, explanation) => {
  const { results, summary } = judge(answers);
  expect(wrongOnes(answers)).toEqual(wrong);
  expect(results[0]?.explanation).toMatch(explanation);
  expect(results[1]?.explanation).toContain('proves nothing yet');
  expect(summary).toBe('A genuine delivery was not accepted.');
});

test('a status whose answer broke off is no acceptance', () => {
  const broken = { accepted: false, statusCode: 200, error: 'the connection was closed', warning: null, durationMs: 3 };
  const [good] = judge(allAs(broken)).results;
  expect(good).toMatchObject({ ok: false, status_code: 200, error: 'the connection was closed' });
  expect(good?.explanation).toContain('200, then the connection was closed');
});

test('a receiver that refuses what it has seen would get it again for days', () => {
  const answers = answersOf({ doubled: answered(409) });
  expect(wrongOnes(answers)).toEqual(['doubled']);
  const { summary, results } = judge(answers);
  expect(summary).toBe('A repeated delivery was refused: it would be sent again and again.');
  expect(results[3]?.explanation).toMatch(/answered 409.*answer 2xx to a `webhook-id` that you have seen/);
});

test('closing the connection on a forged copy is a refusal', () => {
  const answers = answersOf({ bad_signature: broke('the connection was closed before an answer came') });
  expect(judge(answers)).toMatchObject({ ok: true, results: [{}, { ok: true, status_code: null }, {}, {}] });
});

test('every answer leads to a result for each copy, in the order of sending', () => {
  for (const status of [200, 301, 400, 503])
    expect(judge(allAs(answered(status))).results.map(({ copy }) => copy)).toEqual([...copyKinds]);
});

test('a genuine delivery that a login page answers is not reported as accepted by the seller’s code', () => {
  const page = { ...answered(200), warning: 'The server answered with a login page.' };
  const result = judge(allAs(page));
  expect(result.results[0]?.explanation).toContain('perhaps not by your code. The server answered with a login page.');
  expect(result.summary).toMatch(/^The server answered with a login page\./);
});
