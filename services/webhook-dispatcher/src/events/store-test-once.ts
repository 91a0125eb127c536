import { type Client, type Database, statement } from '@app/service-kit/database';
import type { OutgoingEvent } from './outgoing-event.ts';
import { type StoreDeps, storeEventFor } from './store-events.ts';

const claimStatement = statement('test-claim', 'insert into commands (id) values ($1) on conflict do nothing');
const madeStatement = statement<{ id: string | null }>(
  'test-made',
  'select delivery_ids[1] as id from events where account_id = $1 and id = $2',
  { id: 'text' },
);

/**
 * Stores the event of a test, or of an email that is sent again, once for a command, with a delivery to one endpoint or automation.
 * @param event its id follows from the command, so that a repeated command finds the delivery of the first one
 * @param prepare what else belongs to the transaction, before the event is stored; not run for a repeated command
 * @returns the id of the delivery; undefined when the endpoint is gone
 */
export async function storeTestOnce(
  deps: StoreDeps & { readonly database: Database },
  commandId: string,
  { event, endpointId }: { readonly event: OutgoingEvent; readonly endpointId: string },
  prepare: (client: Client) => Promise<unknown>,
): Promise<string | undefined> {
  const committed: (() => void)[] = [];
  const id = await deps.database.transaction(async (client) => {
    if ((await client.query(claimStatement([commandId]))).rowCount === 0) {
      const { rows } = await client.query(madeStatement([event.accountId, event.id]));
      return rows[0]?.id ?? undefined;
    }
    await prepare(client);
    const [stored] = await storeEventFor(deps, event, [endpointId], client, (work) => committed.push(work));
    return stored;
  });
  for (const work of committed) work();
  return id;
}
