import type { AnyStatement, Client } from '@app/service-kit/database';

/**
 * A transaction as one piece of work: the statements that would be sent together with COMMIT are sent one after the other, so that a test may
 * stand between them.
 */
export const wholeWork =
  <T>(work: (client: Client) => Promise<T>, lastOf: (result: T) => readonly AnyStatement[] = () => []) =>
  async (client: Client): Promise<T> => {
    const result = await work(client);
    for (const query of lastOf(result)) await client.query(query);
    return result;
  };
