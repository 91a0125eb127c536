import { type Rotation, rotateSecrets } from '@app/service-host/rotate-secrets';
import { readConfig } from './config.ts';
import { readConnections } from './connections.ts';
import { beginRotation, endRotation } from './secrets.ts';

/*
 * `npm run rotate-secrets -- begin` makes new secrets, which count from the next start; without an argument, beside a
 * running `npm start`, it seals anew what is under those before and counts what is left; `-- end` forgets them.
 */
const { DATA_DIR } = readConfig();

const rotations = {
  billing: async (settings) => (await import('@app/billing/rotation')).billingRotation(settings),
  'webhook-dispatcher': async (settings) =>
    (await import('@app/webhook-dispatcher/rotation')).dispatcherRotation(settings),
  gateway: async (settings) => (await import('@app/gateway/rotation')).gatewayRotation(settings),
} satisfies Record<string, (settings: RotatedSettings) => Promise<Rotation>>;

interface RotatedSettings {
  readonly KEY_PEPPER: string;
  readonly KEY_PEPPER_PREVIOUS?: string | undefined;
  readonly SECRETS_KEY: string;
  readonly SECRETS_KEY_PREVIOUS?: string | undefined;
}

/** @returns the exit code: the worst of the services */
async function rotateAll(): Promise<number> {
  const codes: number[] = [];
  for (const [service, rotationOf] of Object.entries(rotations)) {
    const name = service as keyof typeof rotations;
    const { DATABASE_URL, KEY_PEPPER = '', SECRETS_KEY = '', ...previous } = readConnections(DATA_DIR, name);
    codes.push(await rotateSecrets(name, DATABASE_URL, await rotationOf({ ...previous, KEY_PEPPER, SECRETS_KEY })));
  }
  return codes.includes(1) ? 1 : Math.max(...codes);
}

async function run(what: string | undefined): Promise<number> {
  if (what === undefined) return await rotateAll();
  if (what === 'begin') beginRotation(DATA_DIR);
  else if (what === 'end') endRotation(DATA_DIR);
  else throw new Error(`Unknown argument ${what}: npm run rotate-secrets [-- begin | end]`);
  const next = what === 'begin' ? ', then run npm run rotate-secrets' : '';
  process.stdout.write(`Start npm start anew${next}.\n`);
  return 0;
}

try {
  process.exitCode = await run(process.argv[2]);
} catch (err) {
  process.stderr.write(`${(err as Error).message}\n`);
  process.exitCode = 1;
}
