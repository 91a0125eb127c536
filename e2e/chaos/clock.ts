import { again, type Run } from './run.ts';
import type { World } from './world.ts';

const hourMs = 3_600_000;
const stepEveryMs = 3_000;
/** Longer than a request is on its way on this machine. */
const onItsWayMs = 250;

/**
 * The clock of all services goes on in steps, so that months pass: mostly hours, now and then days without a daily job. Fewer
 * than five: an endpoint that nothing reaches for so long is switched off.
 */
export async function moveClock(run: Run, { later, stripe }: World): Promise<void> {
  const random = run.random.fork();
  await again(run, async () => {
    await run.pause(stepEveryMs);
    const hours = random.chance(0.2) ? 24 * (2 + random.below(3)) : 1 + random.below(14);
    // No connection lives for an hour: what is on its way to Stripe arrives before the clock goes on, or not at all. A request that left
    // under the clock of before, and arrived when its key was forgotten, would be charged anew.
    await stripe.whileBusy(async () => {
      await stripe.deliverLate();
      later.advance(hours * hourMs);
      await run.pause(onItsWayMs);
    });
    run.count('hours of the clock', hours);
  });
}
