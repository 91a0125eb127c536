import { expect, test } from 'vitest';
import { visitAt } from '../../../test/gallery/dashboard-samples.ts';
import { preview } from '../../../test/gallery/dashboard-tools-samples.ts';
import { dailyJobPage } from './daily-job-page.ts';

const shown = (nextStartAt: string | null): string =>
  dailyJobPage(visitAt('/app/daily-job'), { preview, runs: [], nextStartAt, problem: null }).main.text;

test('where the platform runs the daily job, the page says when it does next and asks for no scheduler', () => {
  const next = '2026-10-24T03:00:00.500Z';
  expect(shown(next)).toContain(`It runs by itself, next <time datetime="${next}"`);
  expect(shown(next)).not.toContain('/api/cron/daily');
  expect(shown(null)).toContain('/api/cron/daily');
});

test('with both limits what is confirmed before a run stands under one heading', () => {
  const charge_limit = Object.assign({}, preview.charge_limit, { exceeded: true });
  const limited = Object.assign({}, preview, { unmatched_payments: 2, charge_limit });
  const content = { preview: limited, runs: [], nextStartAt: null, problem: null };
  const { text } = dailyJobPage(visitAt('/app/daily-job'), content).main;
  expect(text.match(/Before it runs/g)).toHaveLength(1);
  expect(text.match(/name="(?:force|confirmUnmatchedPayments)" value="1"/g)).toHaveLength(2);
});
