import { again, type Run } from './run.ts';
import type { World } from './world.ts';

const hourMs = 3_600_000;
const stepEveryMs = 3_000;

/**
 * The clock of all services goes on in steps, so that months pass: mostly hours, now and then days without a daily job. Fewer
 * than five: an endpoint that nothing reaches for so long is switched off.
 */
export async function moveClock(run: Run, { later, stripe }: World): Promise<void> {
  const random = run.random.fork();
  await again(run, async () => {
    await run.pause(stepEveryMs);
    const hours = random.chance(0.2) ? 24 * (2 + random.below(3)) : 1 + random.below(14);
    // No connection lives for an hour: what is on its way to Stripe arrives before the clock goes on.
    await stripe.deliverLate();
    later.advance(hours * hourMs);
    run.count('hours of the clock', hours);
  });
}
