import type { WebhookListsResult } from '../parts/measure-webhook-lists.ts';
import { round } from './results.ts';
import { printTable } from './table.ts';

export function printWebhookLists({ few, many, pages, cpu }: WebhookListsResult): void {
  printTable(`Pages of 10 of a seller with ${many} deliveries beside one with ${few} (medians, ms)`, [
    ['list', 'filter', `${few}`, `${many}`, 'ratio'],
    ...pages.map(({ list, filter, fewMs, manyMs, ratio }) => [
      ...[list, filter, round(fewMs), round(manyMs), round(ratio)],
    ]),
  ]);
  const each = ({ systemMicroseconds, foreignPercent }: WebhookListsResult['cpu']['few']) =>
    `${round(systemMicroseconds)} µs (${round(foreignPercent)} % foreign)`;
  console.log(`  CPU of a page, all filters together: ${each(cpu.few)} and ${each(cpu.many)}`);
}
