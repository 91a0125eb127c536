import { median } from '../measure/statistics.ts';
import { round } from './results.ts';

/** The first row is the head. */
export function printTable(title: string, rows: string[][]): void {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  console.log(`\n${title}`);
  for (const row of rows)
    console.log(
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}`,
    );
}

/** The median of the runs, as a person would write it. */
export function middle<T>(runs: readonly T[], value: (run: T) => number): string {
  return round(median(runs.map(value)));
}
