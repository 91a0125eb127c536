import type { Client, Database } from '@app/service-kit/database';
import { wholeWork } from '@app/testing/whole-work';

/** Counts the statements of a replica by their names, and notes their texts. */
export function counting() {
  const counts = new Map<string, number>();
  const texts = new Map<string, string>();
  const counted = <Inner extends Pick<Client, 'query'>>(inner: Inner): Inner => {
    const query = async (config: { name: string; text: string }, values?: unknown[]) => {
      counts.set(config.name, (counts.get(config.name) ?? 0) + 1);
      texts.set(config.name, config.text);
      return await inner.query(config as never, values);
    };
    return Object.assign(Object.create(inner), { query });
  };
  const database = (inner: Database): Database => ({
    ...inner,
    pool: counted(inner.pool),
    transaction: (work, lastOf) => inner.transaction((client) => wholeWork(work, lastOf)(counted(client))),
  });
  return { database, counts, texts };
}
