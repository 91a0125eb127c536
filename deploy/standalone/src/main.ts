import { readConfig } from './config.ts';
import { runStandalone } from './standalone.ts';

const known: Record<string, string> = {
  '--empty': 'start without the demo shop',
  '--new-credentials': 'make a new API key and password for the first seller',
  '--new-secrets': 'go on without the secrets.json of before: every API key ends',
};
const given = new Set(process.argv.slice(2));
const unknown = [...given].filter((argument) => known[argument] === undefined);
if (unknown.length > 0) {
  const list = Object.entries(known).map(([name, meaning]) => `  ${name}: ${meaning}\n`);
  process.stderr.write(`Unknown argument ${unknown.join(' ')}. Known arguments:\n${list.join('')}`);
  process.exit(1);
}
await runStandalone(() => readConfig(), {
  empty: given.has('--empty'),
  newCredentials: given.has('--new-credentials'),
  newSecrets: given.has('--new-secrets'),
});
