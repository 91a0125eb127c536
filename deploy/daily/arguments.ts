import { parseArgs } from 'node:util';

export interface Arguments {
  readonly everyDay: boolean;
  readonly again: boolean;
  readonly force: boolean;
  readonly help: boolean;
}

export const usage = `Runs the daily job of every account: renewals, retries, reminders, holds.

  npm run daily               runs it now, whatever ran before today
  npm run daily -- --force    charges also what the limit of charges leaves to the next run
  npm run daily -- --help     prints this text and runs nothing

Without npm: node deploy/daily/main.ts [--again] [--force] [--every-day] [--help]. With none of them a job that ran today
already is not run again; --every-day runs the job daily at DAILY_AT (UTC, 03:00 unless set) and does not end.

BASE_URL and PLATFORM_KEY, or a seller's API_KEY, say where and for whom; else .data/credentials.json does.
`;

const options = {
  'every-day': { type: 'boolean', default: false },
  again: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** @throws Error for what is none of the arguments: it may be a mistyped one, and the job moves money */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
  const { 'every-day': everyDay, again, force, help } = values;
  if (everyDay && force) throw new Error('--force is for one run: it does not go with --every-day');
  return { everyDay, again, force, help };
}
