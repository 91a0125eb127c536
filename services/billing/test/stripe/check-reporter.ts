import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import Stripe from 'stripe';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { type CheckedTest, reportOf } from './check-report.ts';

/** In the directory that the check is started from. */
const file = 'stripe-check-report.txt';

/** Writes the report of the check to a file, and shows it. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export
export default class CheckReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()].map(checkedOf));
    const notRun = modules.flatMap((module) => module.errors().map(({ message }) => failed(module.moduleId, message)));
    const versions = { node: process.version, stripe: Stripe.PACKAGE_VERSION, api: Stripe.API_VERSION };
    const report = reportOf({ at: new Date(), ...versions }, [...notRun, ...tests]);
    writeFileSync(file, report);
    process.stdout.write(`${report}\nThis report is in ${file}.\n`);
  }
}

function checkedOf(test: TestCase): CheckedTest {
  const result = test.result();
  if (result.state === 'passed') return { name: test.fullName, state: 'passed', said: [] };
  if (result.state !== 'failed') {
    const note = result.state === 'skipped' ? (result.note ?? 'it was not run') : 'it was not run';
    return { name: test.fullName, state: 'skipped', said: [note] };
  }
  return failed(test.fullName, result.errors.map(({ message }) => message).join('\n'));
}

/** An assertion's first lines say what differs; the rest is the object. */
const linesMax = 20;

const failed = (name: string, message: string): CheckedTest => ({
  name,
  state: 'failed',
  said: stripVTControlCharacters(message).split('\n').slice(0, linesMax),
});
