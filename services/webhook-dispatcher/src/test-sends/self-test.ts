import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { selfTestWebhook } from '@app/contracts/webhook-tests';
import { selfTestLongestMs } from '@app/contracts/webhook-tests';
import type { WebhookEventName } from '@app/contracts/webhooks';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { insertNotices, newNotice } from '../activity/notices.ts';
import { type DestinationRow, destinationColumns, destinationOf, destinationTypes } from '../deliveries/destination.ts';
import { isUrl } from '../destinations/destination-kind-sql.ts';
import { UnreadableSecretError } from '../secrets/secret-box.ts';
import type { Partitions } from '../storage/partitions.ts';
import { oneLine } from '../texts/activity.rules.ts';
import { unknownEndpoint } from '../texts/endpoint-errors.ts';
import { judgeCopies } from './copies.rules.ts';
import { type SendCopiesDeps, sendCopies, type Target } from './send-copies.ts';

type SelfTestResult = RequestOutput<typeof selfTestWebhook>;

export interface SelfTestDeps extends SendCopiesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly partitions: Partitions;
}

const resultStatement = statement<{ result: SelfTestResult }>(
  'self-test-result',
  'select result from commands where id = $1',
  { result: 'jsonb' },
);
const endpointStatement = statement<DestinationRow & { readonly events: WebhookEventName[] | null }>(
  'self-test-endpoint',
  `select e.events, ${destinationColumns('e')} from endpoints e
   where e.id = $2 and e.account_id = $1 and ${isUrl('e')}`,
  {
    events: 'text[]',
    ...destinationTypes,
  },
);
/** Only a process that died leaves a row behind, until its time is over. */
const beginStatement = statement<{ command_id: string }>(
  'self-test-begin',
  `insert into self_tests as t (endpoint_id, account_id, command_id, until)
   values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
   on conflict (endpoint_id) do update set command_id = excluded.command_id, until = excluded.until
   where t.until < clock_timestamp()
   returning command_id`,
  { command_id: 'text' },
);
const runningStatement = statement<{ command_id: string }>(
  'self-test-running',
  'select command_id from self_tests where endpoint_id = $1',
  { command_id: 'text' },
);
const endStatement = statement('self-test-end', 'delete from self_tests where endpoint_id = $1 and command_id = $2');
const keepStatement = statement(
  'self-test-keep',
  'insert into commands (id, result) values ($1, $2::jsonb) on conflict do nothing',
);

const pollMs = 200;

/**
 * Sends four copies of a sample to the endpoint and says what its receiver made of them. A test takes up to a minute, so
 * its caller repeats the command meanwhile: the repetition waits for the first one's result. When the process of the
 * first one died, the repetition tests again.
 * @throws DomainError webhook_endpoint_not_found; invalid_transition while another test of the endpoint runs, without a
 * URL, or where what signs cannot be read any more
 */
export async function selfTest(
  deps: SelfTestDeps,
  accountId: string,
  commandId: string,
  endpointId: string,
): Promise<SelfTestResult> {
  const { pool } = deps.database;
  for (;;) {
    const known = await resultOf(deps.database, commandId);
    if (known !== undefined) return known;
    const target = await readTarget(deps.database, accountId, endpointId);
    const values = [endpointId, accountId, commandId, selfTestLongestMs / 1_000];
    const { rows: begun } = await pool.query(beginStatement(values));
    if (begun.length > 0) return await run(deps, accountId, commandId, target);
    const { rows: running } = await pool.query(runningStatement([endpointId]));
    if (running[0] !== undefined && running[0].command_id !== commandId) {
      throw new DomainError('invalid_transition', 'A self-test of this endpoint is running. Wait for its result.');
    }
    await sleep(pollMs);
  }
}

async function resultOf({ pool }: Database, commandId: string): Promise<SelfTestResult | undefined> {
  const { rows } = await pool.query(resultStatement([commandId]));
  return rows[0]?.result;
}

async function readTarget(database: Database, accountId: string, endpointId: string): Promise<Target> {
  const { rows } = await database.pool.query(endpointStatement([accountId, endpointId]));
  const [row] = rows;
  if (row === undefined) throw unknownEndpoint();
  if (row.url === null) throw new DomainError('invalid_transition', 'No URL is connected. Connect one first.');
  // A receiver may refuse what it did not request.
  const event = row.events === null || row.events.includes('order.paid') ? 'order.paid' : row.events[0];
  return { destination: destinationOf(endpointId, row), url: row.url, event: event ?? 'order.paid' };
}

async function run(deps: SelfTestDeps, accountId: string, commandId: string, target: Target): Promise<SelfTestResult> {
  const { database, clock, partitions } = deps;
  const { endpointId } = target.destination;
  try {
    // The first test of the command may have ended since its result was read.
    const known = await resultOf(database, commandId);
    if (known !== undefined) return known;
    const { answers, sameSale } = await sendCopies(deps, target).catch(inOurWords);
    const result = judgeCopies(answers, sameSale);
    const summary = oneLine(`Self-test of ${target.url}: ${result.summary}`);
    await database.transaction(async (client) => {
      const about = { accountId, summary, url: target.url, endpointId, test: true };
      await insertNotices(client, partitions, [newNotice(clock, about)]);
      await client.query(keepStatement([commandId, JSON.stringify(result)]));
    });
    return result;
  } finally {
    await database.pool.query(endStatement([endpointId, commandId]));
  }
}

function inOurWords(err: unknown): never {
  if (!(err instanceof UnreadableSecretError)) throw err;
  throw new DomainError('invalid_transition', `Nothing can be sent: ${err.message}.`);
}
