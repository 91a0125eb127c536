import { parseArgs } from 'node:util';
import { webhookEventNames } from '@app/contracts/webhooks';
import { causeEvent } from './developer/cause-event.ts';
import { openConnection, reasonOf } from './developer/connection.ts';

const usage = `npm run trigger -- order.paid [--product slug] [--advance]

Makes an event happen in an account: as a rehearsal, which charges nobody, where there can be one; else a sample goes to the connected URLs.

  --product  the slug of the product that is bought; the first that fits unless given
  --advance  lets time pass for the rehearsals of the account, as renewals need; it never goes back

BASE and KEY name the deployment and its key; else those of DATA_DIR (.data) are taken.

Events: ${webhookEventNames.join(', ')}
`;

async function trigger(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { product: { type: 'string' }, advance: { type: 'boolean' } },
  });
  const event = webhookEventNames.find((name) => name === positionals[0]);
  if (event === undefined || positionals.length > 1) throw new Error(`Name one event.\n\n${usage}`);
  const { client } = openConnection(process.env);
  const done = await causeEvent(event, { client, slug: values.product, mayAdvance: values.advance === true });
  process.stdout.write(`${done}\n`);
}

if (process.argv.includes('--help')) process.stdout.write(usage);
else {
  try {
    await trigger();
  } catch (err) {
    process.stderr.write(`${reasonOf(err)}\n`);
    process.exitCode = 1;
  }
}
