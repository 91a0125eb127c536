import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import { createWebhookEndpoint, putWebhookEndpoint } from '@app/contracts/webhooks';
import { databaseUrl, ensureDatabases } from '@app/embedded/databases';
import { connectNats } from '@app/messaging/connect';
import { natsPasswordVariable } from '@app/messaging/nats-config';
import { createRequester } from '@app/messaging/requester';
import { migrate } from '@app/webhook-dispatcher/migrate';
import pg from 'pg';
import { startProgram } from '../child-processes.ts';
import type { Infra } from '../infra.ts';
import { launcher } from './start-platform.ts';

/** The webhook-dispatcher alone, as a process of its own, on a database of its own. */
export interface Dispatcher {
  /** Of the process that runs. */
  readonly pid: number;
  readonly database: pg.Client;
  readonly databaseUrl: string;
  /** Passwords and address that a producer of events needs. */
  readonly nats: { readonly natsUrl: string; readonly natsPassword: string };
  start(options?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
  /** A request in the account's name, as the gateway sends it. */
  request<R extends RequestDefinition>(
    definition: R,
    accountId: string,
    input: RequestInput<R>,
  ): Promise<RequestOutput<R>>;
}

const main = fileURLToPath(new URL('../../services/webhook-dispatcher/src/main.ts', import.meta.url));

/** It is not started yet. */
export async function createDispatcher(
  infra: Infra,
  stack: AsyncDisposableStack,
  name = 'bench_dispatcher',
): Promise<Dispatcher> {
  const owner = { database: name, user: name, password: 'bench-password' };
  await ensureDatabases(infra.postgres.url, [owner]);
  const ownUrl = databaseUrl(infra.postgres.url, owner.database, owner.user, owner.password);
  await migrate(ownUrl);
  const database = new pg.Client({ connectionString: ownUrl });
  await database.connect();
  stack.defer(() => database.end());
  const passwordOf = (service: 'checkout' | 'gateway' | 'webhook-dispatcher') =>
    infra.nats.platform[natsPasswordVariable(service)] ?? '';
  const gateway = {
    url: infra.nats.url,
    service: 'gateway',
    user: 'gateway',
    password: passwordOf('gateway'),
  } as const;
  const link = await connectNats(gateway);
  stack.defer(() => link.close());
  const requester = createRequester(link);
  const { DATABASE_URL: _database, NATS_URL: _nats, ...inherited } = process.env;
  const env = {
    ...inherited,
    DATABASE_URL: ownUrl,
    NATS_URL: infra.nats.url,
    NATS_USER: 'webhook-dispatcher',
    NATS_PASSWORD: passwordOf('webhook-dispatcher'),
    SECRETS_KEY: 'a key of the bench, of thirty-two characters',
    WEBHOOKS_ALLOW_LOOPBACK: 'enabled',
    WEBHOOKS_PER_SECOND: '1000000',
  };
  let starts = 0;
  let program: Awaited<ReturnType<typeof startProgram>> | undefined;
  const stop = async (): Promise<void> => {
    await program?.stop();
    program = undefined;
  };
  stack.defer(stop);
  return {
    get pid() {
      return program?.pid ?? 0;
    },
    database,
    databaseUrl: ownUrl,
    nats: { natsUrl: infra.nats.url, natsPassword: passwordOf('checkout') },
    start: async (options = []) => {
      const log = join(infra.directory, `dispatcher-${++starts}.log`);
      program = await startProgram([...options, launcher, main], env, log, /^webhook-dispatcher ready$/m);
    },
    stop,
    request: (definition, accountId, input) => {
      const commandId = newId('event', Date.now()).slice('evt_'.length);
      return requester.request(definition, input, { accountId, requestId: 'bench', commandId });
    },
  };
}

/** So many accounts, each with these URLs. */
export async function connectAccounts(
  { request }: Dispatcher,
  count: number,
  [first = '', ...further]: readonly string[],
): Promise<string[]> {
  const accountIds = Array.from({ length: count }, () => newId('account', Date.now()));
  for (const accountId of accountIds) {
    await request(putWebhookEndpoint, accountId, { body: { url: first } });
    for (const url of further) await request(createWebhookEndpoint, accountId, { body: { url } });
  }
  return accountIds;
}
