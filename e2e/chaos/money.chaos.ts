import { afterAll, expect, test } from 'vitest';
import { createAnswers } from './answers.ts';
import { sendBuyers } from './buyers.ts';
import { moveClock } from './clock.ts';
import { bringToAnEnd, untilWebhooksEnd } from './closing.ts';
import { compareBooks } from './compare-books.ts';
import { runDailyJobs } from './daily-jobs.ts';
import { killAtRandom } from './kills.ts';
import { runPortalBuyers } from './portal-buyers.ts';
import { createRandom } from './random.ts';
import { createRun } from './run.ts';
import { runSellers } from './sellers.ts';
import { startWorld, type World } from './world.ts';

/**
 * Guarantee: whatever buyers, sellers and daily jobs do at the same time, and whatever process is killed with -9 meanwhile,
 * the books of processor, billing, checkout, affiliate, metrics and receivers agree line by line in the end, and no buyer was
 * answered what did not happen.
 *
 *   MINUTES  how long the actors act (5)          KILLS   how many kills in a minute (4)
 *   BUYERS   how many a second (10)               SEED    of what the actors draw (random, printed)
 */
const setting = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const minutes = setting('MINUTES', 5);
const killsPerMinute = setting('KILLS', 4);
const buyersPerSecond = setting('BUYERS', 10);
const seed = setting('SEED', Math.floor(Math.random() * 2 ** 31));

let world: World | undefined;

afterAll(async () => {
  await world?.close();
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

test('the books of processor, billing, checkout, affiliate, metrics and receivers agree line by line after kills', {
  timeout: (minutes * 3 + 30) * 60_000,
}, async () => {
  print(`${minutes} minutes, ${killsPerMinute} kills a minute, ${buyersPerSecond} buyers a second, SEED=${seed}`);
  const random = createRandom(seed);
  const answers = createAnswers();
  world = await startWorld(random);
  const totalMs = minutes * 60_000;
  const run = createRun(random);
  const kills = killAtRandom(run, world, Math.round(minutes * killsPerMinute), totalMs).catch(run.fail);
  // Where processes start slowly, the kills take longer than they are to.
  const over = Promise.all([run.pause(totalMs), kills]).then(run.end);
  await Promise.all([
    ...[over, sendBuyers(run, world, answers, buyersPerSecond), runSellers(run, world, answers)],
    ...[runPortalBuyers(run, world, answers), runDailyJobs(run, world, answers), moveClock(run, world)],
  ]);
  print('the actors have ended');
  expect(run.failures).toEqual([]);
  const open = await bringToAnEnd(run, world, answers);
  print('everything has come to an end');
  open.push(...(await untilWebhooksEnd(world)));
  const compared = await compareBooks(world, answers, run.count);
  for (const [what, times] of [...run.counts].toSorted()) print(`${String(times).padStart(8)}  ${what}`);
  for (const [problem, times] of answers.problems) print(`${String(times).padStart(8)}  problem ${problem}`);
  for (const { name, lines, differences } of compared)
    print(`${String(lines).padStart(8)}  ${name}: ${differences.length} differences`);
  for (const { name, differences } of compared) for (const each of differences) print(`${name}: ${each}`);
  const differences = compared.flatMap(({ name, differences }) => differences.map((each) => `${name}: ${each}`));
  expect([...open, ...differences]).toEqual([]);
});
