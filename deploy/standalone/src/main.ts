import { readConfig } from './config.ts';
import { runStandalone } from './standalone.ts';

await runStandalone(() => readConfig(), { empty: process.argv.includes('--empty') });
