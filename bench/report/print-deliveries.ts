import type { DeliveriesResult, DeliveryRate } from '../parts/measure-deliveries.ts';
import type { Disturbance, FreshDeliveries } from '../parts/measure-fresh-deliveries.ts';
import { round } from './results.ts';
import { middle, printTable } from './table.ts';

const cpuGroups = ['node', 'postgres', 'nats', 'receiver'] as const;

export function printDeliveries({ concurrency, sources, disturbances }: DeliveriesResult): void {
  const row = (name: string, system: string, runs: readonly DeliveryRate[], ratios: readonly number[]) => [
    ...[
      name,
      system,
      middle(runs, (run) => run.perSecond),
      ratios.length === 0 ? '' : middle(ratios, (ratio) => ratio),
    ],
    ...cpuGroups.map((group) => middle(runs, (run) => run.cpu.microsecondsPerOperation[group])),
    middle(runs, (run) => run.cpu.systemMicroseconds),
    middle(runs, (run) => run.cpu.foreignPercent),
  ];
  printTable(`Recorded deliveries of one process, ${concurrency} requests at once (medians; CPU in µs per delivery)`, [
    ['from', 'system', 'per s', 'ratio', ...cpuGroups, 'system', 'foreign %'],
    ...sources.flatMap(({ source, fanOut, floor, recordedFloor, platform, ratios }) => [
      row(`${source}, ${fanOut} endpoint${fanOut === 1 ? '' : 's'} each`, 'undici alone', floor, []),
      row('', 'undici and one row', recordedFloor, []),
      row('', 'dispatcher', platform, ratios),
    ]),
  ]);
  for (const disturbance of disturbances) printDisturbance(disturbance);
}

function printDisturbance({ name, eventsPerSecond, calm, disturbed, growth }: Disturbance): void {
  const row = (what: string, runs: readonly FreshDeliveries[]) => [
    ...[what, middle(runs, (run) => run.p50Ms), middle(runs, (run) => run.p95Ms), middle(runs, (run) => run.p99Ms)],
    String(runs.reduce((sum, { events }) => sum + events, 0)),
    String(runs.reduce((sum, { missing }) => sum + missing, 0)),
  ];
  printTable(`Fresh events at ${eventsPerSecond} a second, from the stream to the receiver's first byte: ${name}`, [
    ['milliseconds', 'p50', 'p95', 'p99', 'events', 'missing'],
    row('calm', calm),
    row('disturbed', disturbed),
  ]);
  console.log(`  p95 disturbed over calm: ${round(growth)}`);
}
