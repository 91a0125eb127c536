import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainCourse } from './checkout-harness.ts';
import { createRemindersHarness, dayMs, minuteMs, type RemindersHarness } from './reminders-harness.ts';

guardLeaks();

let harness: RemindersHarness;
beforeAll(async () => {
  harness = await createRemindersHarness();
  await harness.base.start({ ...harness.settings, REMINDERS_PER_DAY: '3', DEPLOYMENT_REMINDERS_PER_DAY: '3' });
  for (const account of ['acc_1', 'acc_2']) await harness.setSettings(account, {});
});
afterAll(() => harness.close());

const later = (ms: number) => harness.base.clock.advance(ms);
const nothing = { ok: true, sent: 0, recovered: 0, problem: null };

test('all accounts together send as many as the deployment’s ceiling allows; an account that has sent none sends one, and the others wait for a later run', async () => {
  harness.shop.set('acc_2/course', plainCourse);
  for (const n of [1, 2, 3]) {
    await harness.open({ email: `${n}@example.com` });
    await harness.open({ email: `${n}@example.com` }, { accountId: 'acc_2' });
  }
  later(61 * minuteMs);
  expect(await harness.run()).toEqual({ ...nothing, sent: 3 });
  expect(await harness.run('acc_2')).toEqual({ ...nothing, sent: 1 });
  later(dayMs + minuteMs);
  expect(await harness.run('acc_2')).toEqual({ ...nothing, sent: 2 });
});
