import type { CpuUse } from '../measure/cpu.ts';
import type { LimitsResult, Sides } from '../parts/measure-limits.ts';
import { limitsRatios } from './limits-ratios.ts';
import { round } from './results.ts';
import { middle, printTable } from './table.ts';

/** @param result undefined where the part was not measured */
export function printLimits(result: LimitsResult | undefined): void {
  if (result === undefined) return;
  const { connections, orders, checkouts } = result;
  const row = <Run extends { readonly cpu: CpuUse }>(
    what: string,
    { without, with: limited }: Sides<Run>,
    perSecond: (run: Run) => number,
    ratios: { readonly perSecond: number; readonly cpu: number },
  ) => [
    what,
    middle(without, perSecond),
    middle(limited, perSecond),
    round(ratios.perSecond),
    middle(without, ({ cpu }) => cpu.systemMicroseconds),
    middle(limited, ({ cpu }) => cpu.systemMicroseconds),
    round(ratios.cpu),
    middle([...without, ...limited], ({ cpu }) => cpu.foreignPercent),
  ];
  const ratios = limitsRatios(result);
  printTable(`Limits that are not reached, beside none; ${connections} connections, medians of the rounds`, [
    ['', 'per s without', 'with', 'ratio', 'CPU µs without', 'with', 'ratio', 'foreign %'],
    row('orders, delivered', orders, (run) => run.perSecond, ratios.orders),
    row('paid checkouts', checkouts, (run) => run.paidPerSecond, ratios.checkouts),
  ]);
}
