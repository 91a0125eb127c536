import { parseArgs } from 'node:util';

const partNames = [
  'orders',
  'sustained',
  'checkouts',
  'renewals',
  'lists',
  'mcp',
  'metrics',
  'latency',
  'events',
  'deliveries',
  'limits',
  'webhook-lists',
  'start',
  'stripe-renewals',
  'profile',
] as const;
export type PartName = (typeof partNames)[number];

/** Left out unless they are named. */
const onlyNamed = new Set<PartName>(['profile', 'stripe-renewals']);

export interface Options {
  readonly parts: readonly PartName[];
  /** Measure the bare path alone. */
  readonly floorOnly: boolean;
  readonly lengths: Lengths;
  readonly quick: boolean;
  readonly nats: NatsConfiguration;
}

/** Seconds, and how often floor and platform take turns. */
export interface Lengths {
  readonly warmUp: number;
  readonly rounds: number;
  readonly orders: number;
  readonly sustained: number;
  readonly latency: number;
  readonly lists: number;
  /** How many renewals are due, one run after the other. */
  readonly renewals: readonly number[];
  /** How many are due at Stripe, and how long buyers pay before that. */
  readonly stripeRenewals: { readonly due: number; readonly aloneSeconds: number };
  /** Facts that the rebuild of metrics counts, half of them of one product. */
  readonly facts: number;
  /** Of each round of each load. */
  readonly deliveries: number;
  /** Of each run of fresh events, with and without what disturbs them. */
  readonly disturbance: number;
  /** Events that a recovery sends again beside fresh ones. */
  readonly recovered: number;
  /** Deliveries of the seller whose lists are read. */
  readonly history: number;
}

/** Three minutes: what piles up in nats-server or at a consumer begins to within half a minute. */
const full: Lengths = {
  warmUp: 5,
  rounds: 2,
  orders: 10,
  sustained: 180,
  latency: 60,
  lists: 5,
  renewals: [1_000, 10_000, 100_000],
  stripeRenewals: { due: 2_000, aloneSeconds: 60 },
  facts: 2_000_000,
  deliveries: 60_000,
  disturbance: 30,
  recovered: 100_000,
  history: 1_000_000,
};
const quick: Lengths = {
  warmUp: 3,
  rounds: 1,
  orders: 5,
  sustained: 5,
  latency: 5,
  lists: 5,
  renewals: [1_000, 10_000],
  stripeRenewals: { due: 200, aloneSeconds: 10 },
  facts: 100_000,
  deliveries: 10_000,
  disturbance: 5,
  recovered: 5_000,
  history: 20_000,
};

/** Whose nats-server configuration: what `npm start` writes, or docker compose's file with passwords from the environment. */
export type NatsConfiguration = 'start' | 'compose';

const usage = `npm run bench -- [--quick] [--only=${partNames.join('|')}] [--profile] [--floor]
                [--sustained-seconds=N] [--nats=start|compose]
  --quick    short runs: to see that it works, not for figures
  --only     some parts, separated by commas; all but profile and stripe-renewals otherwise
  --profile  where the platform's CPU time goes, function by function; the same as --only=profile
  --floor    only the bare path
  --only=sustained         of the orders, only 64 connections for three minutes
  --sustained-seconds=N    for N seconds instead
  --nats=compose           nats-server with deploy/nats/nats.conf instead of what npm start writes
NATS_SERVER_BIN names another nats-server.`;

/** @throws Error with the usage when the arguments make no sense */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'boolean', default: false },
      floor: { type: 'boolean', default: false },
      'sustained-seconds': { type: 'string' },
      nats: { type: 'string', default: 'start' },
    },
  });
  const named = values.only?.split(',') ?? (values.profile ? [] : partNames.filter((name) => !onlyNamed.has(name)));
  if (values.profile) named.push('profile');
  const parts = partNames.filter((name) => named.includes(name));
  if (named.some((name) => !partNames.includes(name as PartName))) throw new Error(`No part of that name.\n${usage}`);
  const { nats, 'sustained-seconds': seconds } = values;
  if (nats !== 'start' && nats !== 'compose') throw new Error(`--nats is start or compose.\n${usage}`);
  const lengths = values.quick ? quick : full;
  const sustained = seconds === undefined ? lengths.sustained : Number(seconds);
  if (!Number.isInteger(sustained) || sustained < 1) throw new Error(`--sustained-seconds is a number.\n${usage}`);
  return { parts, floorOnly: values.floor, lengths: { ...lengths, sustained }, quick: values.quick, nats };
}
