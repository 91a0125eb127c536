import type { WriteBuiltIns } from '../events/store-events.ts';
import { builtInRows, materialiseStatement } from './automation-row.ts';

/** Accounts that this process remembers: 100,000 ids are 10 MB. */
const knownMax = 100_000;

/**
 * Each account costs a process one statement, once: built-in automations are not deleted.
 * @param emailsAvailable without a mail server they would have nothing to do, and are not written
 */
export function createWriteBuiltIns(emailsAvailable: boolean): WriteBuiltIns {
  const known = new Set<string>();
  return async (client, accountIds, onCommit) => {
    const unknown = emailsAvailable ? accountIds.filter((id) => !known.has(id)) : [];
    if (unknown.length === 0) return;
    await client.query(materialiseStatement([builtInRows(unknown)]));
    onCommit(() => {
      if (known.size + unknown.length > knownMax) known.clear();
      for (const id of unknown) known.add(id);
    });
  };
}
