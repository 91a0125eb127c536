import { dayMs, hourMs, minuteMs, type Replica, type Replicas } from './payment-replicas.ts';

/** Days pass with their daily runs until nothing of the order is left to do: at the latest when its hold ends. */
export async function untilSettled(
  replicas: Replicas,
  replica: Replica,
  account: string,
  orderId: string,
): Promise<void> {
  for (let day = 0; day < 10 && !(await isSettled(replicas, account, orderId)); day += 1) {
    for (const waitMs of [minuteMs, 5 * minuteMs, hourMs]) {
      replicas.clock.advance(waitMs);
      await replica.round();
    }
    await replica.daily(account);
    replicas.clock.advance(dayMs);
  }
  // What arrived after its payment was declined is found by the comparison of the books.
  await replica.daily(account);
}

async function isSettled(replicas: Replicas, account: string, orderId: string): Promise<boolean> {
  const { payments, hold, charges } = await replicas.money(account, orderId);
  if (payments.some(({ finishedAt }) => finishedAt === null)) return false;
  if (charges.some(({ refundDueAt }) => refundDueAt !== null)) return false;
  return hold === null || hold.status === 'settled' || hold.status === 'lost';
}
