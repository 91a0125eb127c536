import { query } from '@app/testing/sql';
import type { ActionRecord, Answers } from './answers.ts';
import { backUpBilling } from './billing-backup.ts';
import { type Books, readBooks } from './books.ts';
import { untilDelivered } from './closing.ts';
import { runDaily } from './daily-jobs.ts';
import type { Run } from './run.ts';
import { repeatAction } from './sellers.ts';
import { calmStripe } from './stripe-side.ts';
import type { Shop, World } from './world.ts';

/** What a restored database lacked. */
export interface Lost {
  /** Orders of which it had known more. */
  readonly orders: ReadonlySet<string>;
  /** What was in all books before. */
  readonly before: Books;
  /** What does not hold between the restore and the seller's confirmation. */
  readonly wrong: readonly string[];
}

/**
 * Billing's database is restored from a backup that was made before `act`, while the books of both processors stay; then operator and sellers do as
 * `deploy/README.md` says under “Restore”.
 * @param act what is forgotten; it has come to an end when it resolves
 */
export async function restoreBilling(
  run: Run,
  world: World,
  answers: Answers,
  act: () => Promise<void>,
): Promise<Lost> {
  const { cluster } = world;
  const backup = await backUpBilling(world);
  const actions = new Map(answers.actions);
  await act();
  await calmStripe(world);
  await cluster.process('billing').kill();
  const [before, orders] = [await readBooks(world), await backup.changedOrders()];
  await backup.restore();
  await cluster.process('billing').restart();
  run.count('backups of billing that were restored');
  run.count('orders of which a backup lacked something', orders.size);
  const since = backup.takenAt.toISOString();
  await cluster.command('billing', 'events', 'replay-stream', '--since', since);
  await untilDelivered(world);
  const wrong: string[] = [];
  for (const [number, shop] of world.shops.entries()) {
    wrong.push(...(await runStopped(run, world, shop)));
    const later = [...answers.actions].filter(([id, done]) => done.shop === number && actions.get(id) !== done);
    for (const [subscriptionId, { action }] of later) await repeat(run, world, shop, { subscriptionId, action });
    const { json } = await runDaily(run, world, { shop, force: true, confirms: true });
    for (const { code, detail } of json.problems)
      run.count(`after the confirmation: ${code}${code === 'charging_stopped' ? detail : ''}`);
  }
  return { orders, before, wrong };
}

/** A card is not repeated: its buyer gives it again when the one before is declined. */
async function repeat(
  run: Run,
  world: World,
  shop: Shop,
  done: { readonly subscriptionId: string; readonly action: ActionRecord['action'] },
): Promise<void> {
  if (done.action === 'payment-method') return;
  const { status } = await repeatAction(run, world, shop, done);
  run.count(`repeated after a restore: ${done.action} ${status}`);
}

/** Where a run says that charging stopped, it has claimed no renewal that the processor did not have before. */
async function runStopped(run: Run, world: World, shop: Shop): Promise<string[]> {
  const claimed = async () =>
    (
      await query<{ id: string }>(
        world.cluster.databaseUrl('billing'),
        `select id from payments where account_id = $1 and step = 'renewal'`,
        [shop.seller.accountId],
      )
    ).map(({ id }) => id);
  const there = (await readBooks(world)).entries.map(({ payment_id }) => payment_id);
  const known = new Set([...there, ...(await claimed())]);
  const { json } = await runDaily(run, world, { shop, force: true });
  const isStopped = json.problems.some(({ code }: { code: string }) => code === 'charging_stopped');
  run.count(`accounts of a restored database: ${isStopped ? 'stopped' : 'nothing to stop for'}`);
  if (!isStopped) return [];
  return (await claimed()).filter((id) => !known.has(id)).map((id) => `${shop.handle} was stopped and charged ${id}`);
}
