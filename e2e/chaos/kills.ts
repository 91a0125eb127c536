import { answersRecorded, renewalsClaimed, simulatedCallRecorded } from '@app/billing/points';
import { serviceNames } from '@app/contracts/services';
import type { Point } from '@app/service-kit/points';
import { forgetAnnouncements, listen } from '@app/testing/points';
import type { Random } from './random.ts';
import type { Run } from './run.ts';
import type { World } from './world.ts';

interface Kill {
  readonly name: string;
  /** Resolves when what was killed is back. */
  act(): Promise<void>;
}

/**
 * As many kills -9 as wanted, each at a random moment of its own part of the time: every service in turn, PostgreSQL and
 * nats-server among them, billing more often, and then half of the times right after a point that it announces.
 */
export async function killAtRandom(run: Run, world: World, kills: number, totalMs: number): Promise<void> {
  const random = run.random.fork();
  const shareMs = totalMs / kills;
  const startedMs = performance.now();
  for (let n = 0; n < kills && !run.ending.aborted; n++) {
    const fromStartMs = (n + random.next()) * shareMs;
    await run.pause(Math.max(0, startedMs + fromStartMs - performance.now()));
    if (run.ending.aborted) return;
    const kill = killOf(world, random, n);
    await kill.act();
    run.count(`kills: ${kill.name}`);
  }
}

/** Every third one is billing. The others take turns, so that a short run meets different ones. */
function killOf(world: World, random: Random, n: number): Kill {
  if (n % 3 === 0) return random.chance(0.5) ? aimed(world, random) : ofService(world, 'billing');
  const others = [...serviceNames.filter((name) => name !== 'billing'), 'postgres', 'nats'] as const;
  const name = others[(n - Math.floor(n / 3) - 1 + offset(random)) % others.length] as (typeof others)[number];
  if (name === 'postgres') return { name, act: () => world.postgres.kill().then(() => world.postgres.start()) };
  if (name === 'nats') return { name, act: () => world.cluster.nats.kill().then(() => world.cluster.nats.start()) };
  return ofService(world, name);
}

const offset = (random: Random): number => (random.chance(0.3) ? random.below(8) : 0);

const ofService = (world: World, name: (typeof serviceNames)[number]): Kill => ({
  name,
  act: () => restart(world, name),
});

/** As compose and Kubernetes do, starts a process again that ended before it was ready: it may lose its connections in the middle. */
async function restart({ cluster }: World, name: (typeof serviceNames)[number]): Promise<void> {
  for (let startsLeft = 5; ; startsLeft--) {
    try {
      return await cluster.process(name).restart();
    } catch (err) {
      if (startsLeft === 1) throw err;
    }
  }
}

const aims: readonly Point<object>[] = [answersRecorded, renewalsClaimed, simulatedCallRecorded] as Point<object>[];

/** Billing is killed when it announces what it has just done; if it does not within the usual wait, at that moment. */
function aimed(world: World, random: Random): Kill {
  const point = random.oneOf(aims);
  return {
    name: `billing at ${point.name.replace('billing.', '')}`,
    act: async () => {
      // What was announced so far is of no use, and a run announces much.
      forgetAnnouncements();
      await listen()
        .announced(point)
        .catch(() => undefined);
      await restart(world, 'billing');
    },
  };
}
