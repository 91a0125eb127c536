import { parseArgs } from 'node:util';

const partNames = ['orders', 'lists', 'latency', 'start', 'profile'] as const;
export type PartName = (typeof partNames)[number];

export interface Options {
  readonly parts: readonly PartName[];
  /** Measure the bare path alone. */
  readonly floorOnly: boolean;
  readonly lengths: Lengths;
  readonly quick: boolean;
}

/** Seconds, and how often floor and platform take turns. */
export interface Lengths {
  readonly warmUp: number;
  readonly rounds: number;
  readonly orders: number;
  readonly sustained: number;
  readonly latency: number;
  readonly lists: number;
}

const full: Lengths = { warmUp: 5, rounds: 2, orders: 10, sustained: 30, latency: 20, lists: 5 };
const quick: Lengths = { warmUp: 3, rounds: 1, orders: 5, sustained: 5, latency: 5, lists: 5 };

export const usage = `npm run bench -- [--quick] [--only=${partNames.join('|')}] [--profile] [--floor]
  --quick    short runs: to see that it works, not for figures
  --only     some parts, separated by commas; all but profile otherwise
  --profile  where the platform's CPU time goes, function by function; the same as --only=profile
  --floor    only the bare path`;

/** Throws with the usage when the arguments make no sense. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'boolean', default: false },
      floor: { type: 'boolean', default: false },
    },
  });
  const named = values.only?.split(',') ?? (values.profile ? [] : partNames.filter((name) => name !== 'profile'));
  if (values.profile) named.push('profile');
  const parts = partNames.filter((name) => named.includes(name));
  if (named.some((name) => !partNames.includes(name as PartName))) throw new Error(`No part of that name.\n${usage}`);
  return { parts, floorOnly: values.floor, lengths: values.quick ? quick : full, quick: values.quick };
}
