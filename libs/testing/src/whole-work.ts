import type { Client, Write } from '@app/service-kit/database';

/**
 * A transaction as one piece of work: the statements that would be sent together with COMMIT are sent one after the other, so that a test may
 * stand between them.
 */
export const wholeWork =
  <T>(work: (client: Client) => Promise<T>, lastOf: (result: T) => readonly Write[] = () => []) =>
  async (client: Client): Promise<T> => {
    const result = await work(client);
    for (const query of lastOf(result)) await client.query(query);
    return result;
  };

/**
 * A connection whose statements pass a test's function, one after the other: what would be sent together is not, so that each waits for
 * what the function does before the one in front of it.
 */
export function inTurn(
  client: Client,
  query: (config: { readonly name?: string }, values?: unknown[]) => Promise<unknown>,
): Client {
  let last: Promise<unknown> = Promise.resolve();
  const next = (config: { readonly name?: string }, values?: unknown[]): Promise<unknown> => {
    const sent = last.then(() => query(config, values));
    last = sent.catch(() => undefined);
    return sent;
  };
  return Object.assign(Object.create(client) as Client, { query: next });
}
