import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Client, isProblem } from '../../../clients/typescript/client.ts';
import { makeDataDir } from './data-dir.ts';
import { openConnection, reasonOf } from './developer/connection.ts';
import { forwardEvents } from './developer/forward-events.ts';
import { readPrivate, writePrivate } from './private-file.ts';

const usage = `npm run listen -- --to http://localhost:3001/hook [--after evt_… | --all] [--secret whsec_…]

Posts the events of an account to a port of this machine, signed, in the order of its log. It begins with what comes next, and after a pause
with what was missed meanwhile: how far it is stays in DATA_DIR/listen.json, with the signing secret.

  --to      where events are posted
  --after   begin after the event with this id
  --all     begin with the oldest event that is kept
  --secret  sign with this secret, as that of your endpoint

BASE and KEY name the deployment and its key; else those of DATA_DIR (.data) are taken.
`;

const stateSchema = z.object({ secret: z.string().startsWith('whsec_'), last: z.record(z.string(), z.string()) });
const pollMs = 1_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** In place of an id: the log was empty, so that its first event comes next, whenever it comes. */
const beginning = '';

/** Where the last run ended, if the account still has it; else the newest event. */
async function whereItWas(client: Client, last: string | undefined): Promise<string> {
  if (last === beginning) return last;
  if (last !== undefined) {
    try {
      await client.listEvents({ query: { after: last, limit: 1 } });
      return last;
    } catch (err) {
      // Another account, or an empty deployment at the same address.
      if (!isProblem(err, 'validation_failed')) throw err;
      say(`The account has no event ${last}: it begins with what comes next.`);
    }
  }
  return (await client.listEvents({ query: { order: 'desc', limit: 1 } })).data[0]?.id ?? beginning;
}

async function listen(): Promise<void> {
  const { values } = parseArgs({
    options: {
      to: { type: 'string' },
      after: { type: 'string' },
      all: { type: 'boolean' },
      secret: { type: 'string' },
    },
  });
  if (values.to === undefined || !/^https?:$/.test(URL.parse(values.to)?.protocol ?? ''))
    throw new Error(`--to must be an http or https URL.\n\n${usage}`);
  const { to } = values;
  const { baseUrl, client } = openConnection(process.env);
  const file = join(makeDataDir(process.env.DATA_DIR ?? '.data'), 'listen.json');
  const made: z.output<typeof stateSchema> = { secret: `whsec_${randomBytes(32).toString('base64')}`, last: {} };
  // Read each time: another run keeps how far it is at another port in the same file.
  const state = () =>
    readPrivate(file, stateSchema, 'Delete it: the next start makes another secret and begins with what comes next.') ??
    made;
  const place = `${baseUrl} → ${to}`;
  const begin = values.all ? beginning : (values.after ?? (await whereItWas(client, state().last[place])));
  const keep = (id: string): void => {
    const { secret, last } = state();
    writePrivate(file, { secret, last: { ...last, [place]: id } });
  };
  keep(begin);
  const last = begin === beginning ? undefined : begin;
  const secret = values.secret ?? state().secret;
  say(`signing secret ${secret}`);
  say(`listening: events of ${baseUrl} go to ${to}`);
  await forwardEvents({ client, to, secret, last, keep, say, wait: () => sleep(pollMs) });
}

if (process.argv.includes('--help')) process.stdout.write(usage);
else {
  try {
    await listen();
  } catch (err) {
    process.stderr.write(`${reasonOf(err)}\n`);
    process.exitCode = 1;
  }
}
