import { paymentsLimited } from '@app/contracts/checkouts';
import type { Database } from '@app/service-kit/database';
import { defineDatabase } from '@app/service-kit/define-database';
import { Migration } from '@app/service-kit/migrations';
import { deleteExpired } from '@app/service-kit/retention';
import { guardLeaks } from '@app/testing/leak-guard';
import { openForReplicas } from '@app/testing/opened-database';
import { beforeEach, expect, test } from 'vitest';
import { notifyOnce, sentNotificationsRetention } from '../src/notify-once.ts';
import { outboxRow } from '../src/outbox.ts';
import { messagingTables, sentNotificationsTable } from '../src/tables.ts';

guardLeaks();

class Initial extends Migration {
  override up(): void {
    this.addSql(messagingTables);
    this.addSql(sentNotificationsTable);
  }
}

const { databaseOptions, migrate } = defineDatabase('notify-once', {
  migrations: [{ name: '0001-initial', class: Initial }],
});
const databases = openForReplicas('notify-once', migrate, databaseOptions);
beforeEach(() => pool(0).query('truncate sent_notifications, outbox'));

const pool = (replica: number) => (databases[replica] as Database).pool;
const now = new Date('2026-01-10T00:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const hourMs = 3_600_000;

const about = (key: string, accountId = 'acc_1') => {
  const source = { accountId, requestId: null, nowMs: now.getTime() };
  return { accountId, key, event: outboxRow(paymentsLimited, { summary: key, test: false }, source) };
};
const sent = async () => {
  const { rows } = await pool(0).query<{ payload: string }>('select payload from outbox order by id');
  return rows.map(({ payload }) => {
    const { accountId, data } = JSON.parse(payload) as { accountId: string; data: { summary: string } };
    return `${accountId} ${data.summary}`;
  });
};

test('of replicas that notify at once one sends; another key and another account are notified for themselves', async () => {
  const both = [0, 1, 0, 1].map((replica) => notifyOnce(pool(replica), [about('a'), about('a'), about('b')], { now }));
  expect((await Promise.all(both)).reduce((sum, each) => sum + each)).toBe(2);
  expect(await notifyOnce(pool(1), [about('a'), about('a', 'acc_2')], { now: later(30 * 24 * hourMs) })).toBe(1);
  expect((await sent()).toSorted()).toEqual(['acc_1 a', 'acc_1 b', 'acc_2 a']);
});

test('a key is notified again after its pause, and not before', async () => {
  const againAfterMs = 24 * hourMs;
  const at = (when: Date) => notifyOnce(pool(0), [about('a')], { now: when, againAfterMs });
  expect([await at(now), await at(later(againAfterMs - 1)), await at(later(againAfterMs))]).toEqual([1, 0, 1]);
  expect(await at(later(againAfterMs + 1))).toBe(0);
});

test('a key is forgotten after its time, and nothing earlier', async () => {
  await notifyOnce(pool(0), [about('short')], { now });
  await notifyOnce(pool(0), [about('long')], { now, keepDays: 396 });
  const rule = sentNotificationsRetention(() => later(32 * 24 * hourMs));
  await deleteExpired(databases[0] as Database, [rule]);
  const { rows } = await pool(0).query<{ notification_key: string }>(
    `select notification_key from sent_notifications order by 1`,
  );
  expect(rows.map((row) => row.notification_key)).toContain('long');
  expect(rows.map((row) => row.notification_key)).not.toContain('short');
});

test('the memory and the event are one: where the event cannot be written, the seller is notified by the next attempt', async () => {
  const notification = about('a');
  const broken = { ...notification, event: { ...notification.event, payload: null as unknown as string } };
  await expect(notifyOnce(pool(0), [broken], { now })).rejects.toThrow();
  expect(await notifyOnce(pool(0), [notification], { now })).toBe(1);
});
