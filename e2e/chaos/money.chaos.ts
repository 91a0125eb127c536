import { afterAll, expect, test } from 'vitest';
import { type Answers, createAnswers } from './answers.ts';
import { sendBuyers } from './buyers.ts';
import { moveClock } from './clock.ts';
import { bringToAnEnd, untilWebhooksEnd } from './closing.ts';
import { type Compared, compareBooks } from './compare-books.ts';
import { compareRestored } from './compare-restored.ts';
import { runDailyJobs } from './daily-jobs.ts';
import { runDashboards } from './dashboard.ts';
import { evidenceOf } from './evidence.ts';
import { killAtRandom } from './kills.ts';
import { runPortalBuyers } from './portal-buyers.ts';
import { createRandom, type Random } from './random.ts';
import { restoreBilling } from './restored-backup.ts';
import { createRun, type Run } from './run.ts';
import { runSellers } from './sellers.ts';
import { runStripe } from './stripe-side.ts';
import { startWorld, type World } from './world.ts';

/**
 * Guarantee: whatever buyers, sellers, banks and daily jobs do at the same time, here and at Stripe's Dashboard, and whatever process is killed with -9
 * meanwhile, the books of processors, billing, checkout, affiliate, metrics and receivers agree line by line in the end, and no buyer was
 * answered what did not happen. After that billing's database is restored from a backup, and nothing is taken twice or goes unnamed.
 *
 *   MINUTES  how long the actors act (5)          KILLS   how many kills in a minute (4)
 *   BUYERS   how many a second (10)               SEED    of what the actors draw (random, printed)
 *   STRIPE   how many of four shops sell through Stripe (2)
 *   RESTORES how often billing's database is restored from a backup at the end (1)
 */
const setting = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const minutes = setting('MINUTES', 5);
const killsPerMinute = setting('KILLS', 4);
const buyersPerSecond = setting('BUYERS', 10);
const shopsAtStripe = setting('STRIPE', 2);
const restores = setting('RESTORES', 1);
const seed = setting('SEED', Math.floor(Math.random() * 2 ** 31));
/** What the actors do within so long is forgotten by a backup. */
const forgottenMs = 30_000;

let world: World | undefined;

afterAll(async () => {
  await world?.close();
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Buyers, sellers, banks and daily jobs act until so long has passed; resolves when each has come to an end. */
async function act(run: Run, world: World, answers: Answers, totalMs: number, kills: number): Promise<void> {
  const killing = killAtRandom(run, world, kills, totalMs).catch(run.fail);
  // Where processes start slowly, the kills take longer than they are to.
  const over = Promise.all([run.pause(totalMs), killing]).then(run.end);
  await Promise.all([
    ...[over, sendBuyers(run, world, answers, buyersPerSecond), runSellers(run, world, answers)],
    ...[runPortalBuyers(run, world, answers), runDailyJobs(run, world, answers), moveClock(run, world)],
    ...[runStripe(run, world), runDashboards(run, world, answers)],
  ]);
  expect(run.failures).toEqual([]);
}

function report(counts: ReadonlyMap<string, number>, answers: Answers, { compared, books }: Compared): string[] {
  for (const [what, times] of [...counts].toSorted()) print(`${String(times).padStart(8)}  ${what}`);
  for (const [problem, times] of answers.problems) print(`${String(times).padStart(8)}  problem ${problem}`);
  for (const { name, lines, differences } of compared)
    print(`${String(lines).padStart(8)}  ${name}: ${differences.length} differences`);
  const differences = compared.flatMap(({ name, differences }) => differences.map((each) => `${name}: ${each}`));
  for (const each of [...differences, ...evidenceOf(books, differences)]) print(each);
  return differences;
}

test('the books of processors, billing, checkout, affiliate, metrics and receivers agree line by line after kills and a restored backup', {
  timeout: (minutes * 3 + restores * 10 + 30) * 60_000,
}, async () => {
  print(`${minutes} minutes, ${killsPerMinute} kills a minute, ${buyersPerSecond} buyers a second, SEED=${seed}`);
  print(`${shopsAtStripe} of four shops at Stripe, ${restores} restored backups`);
  const random = createRandom(seed);
  const answers = createAnswers();
  world = await startWorld(random, shopsAtStripe);
  const run = createRun(random);
  await act(run, world, answers, minutes * 60_000, Math.round(minutes * killsPerMinute));
  print('the actors have ended');
  const { open, problems } = await bringToAnEnd(run, world, answers);
  print('everything has come to an end');
  const webhooks = await untilWebhooksEnd(run, world);
  const compared = await compareBooks(world, answers, run.count);
  const differences = report(run.counts, answers, compared);
  for (let n = 1; n <= restores; n += 1) differences.push(...(await restored(world, random, answers)));
  expect([...open, ...problems, ...webhooks, ...differences]).toEqual([]);
});

async function restored(living: World, random: Random, answers: Answers): Promise<string[]> {
  const run = createRun(random.fork());
  const forgotten = () => act(createRun(random.fork()), living, answers, forgottenMs, 0);
  const lost = await restoreBilling(run, living, answers, forgotten);
  const { open, problems } = await bringToAnEnd(run, living, answers);
  const compared = await compareRestored(living, answers, lost, problems);
  print('a backup was restored');
  return [...open, ...report(run.counts, createAnswers(), compared)];
}
