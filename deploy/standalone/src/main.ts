import { readConfig } from './config.ts';
import { runStandalone } from './standalone.ts';

const unknown = process.argv.slice(2).filter((argument) => argument !== '--empty');
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown argument ${unknown.join(' ')}. The only one is --empty: start without the demo shop.\n`,
  );
  process.exit(1);
}
await runStandalone(() => readConfig(), { empty: process.argv.includes('--empty') });
