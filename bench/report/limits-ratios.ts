import type { CpuUse } from '../measure/cpu.ts';
import { median } from '../measure/statistics.ts';
import type { LimitsResult, Sides } from '../parts/measure-limits.ts';

interface Ratios {
  readonly perSecond: number;
  /** CPU microseconds of each order or checkout. */
  readonly cpu: number;
}

/** With limits over without, of the medians. */
export function limitsRatios({ orders, checkouts }: LimitsResult): Readonly<Record<'orders' | 'checkouts', Ratios>> {
  return {
    orders: ratiosOf(orders, (run) => run.perSecond),
    checkouts: ratiosOf(checkouts, (run) => run.paidPerSecond),
  };
}

function ratiosOf<Run extends { readonly cpu: CpuUse }>(
  { without, with: limited }: Sides<Run>,
  perSecond: (run: Run) => number,
): Ratios {
  const ratio = (of: (run: Run) => number) => median(limited.map(of)) / median(without.map(of));
  return { perSecond: ratio(perSecond), cpu: ratio(({ cpu }) => cpu.systemMicroseconds) };
}
