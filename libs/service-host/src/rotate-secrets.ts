import type { ServiceName } from '@app/contracts/services';
import { type Database, openDatabase } from '@app/service-kit/database';
import { resealColumn, type SealedColumn } from '@app/service-kit/reseal';

/** What a service has under a secret of the deployment. */
export interface Rotation {
  /** The setting that holds the secret; the one before is in the same with `_PREVIOUS`. */
  readonly setting: string;
  readonly columns: readonly SealedColumn[];
  /** What moves to the new secret by itself, and has not yet. */
  readonly left?: (database: Database) => Promise<readonly Left[]>;
}

export interface Left {
  readonly what: string;
  readonly count: number;
  /** How it moves, or ends. */
  readonly how: string;
}

/**
 * What `node src/main.ts rotate-secrets` of a service does, beside the running service: seals anew what is not under the
 * secret of today, and counts what is left.
 * @returns the exit code: 0 when the secret before may be removed, 2 when something is left, 1 for what no secret opens
 */
export async function rotateSecrets(
  service: ServiceName,
  url: string,
  { setting, columns, left }: Rotation,
  print: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<number> {
  const applicationName = `${service}-rotate-secrets`;
  const database = await openDatabase({ url, applicationName, poolMax: 2, entities: [], migrations: [] });
  try {
    let unreadable = 0;
    const rest: Left[] = [];
    for (const column of columns) {
      const sum = await resealColumn(database.pool, column);
      unreadable += sum.unreadable;
      if (sum.left > 0) rest.push({ what: sum.what, count: sum.left, how: 'end within 30 days' });
      const counts = [`${sum.resealed} sealed anew`, `${sum.current} already`, `${sum.left} left`];
      print(`${service}: ${sum.what}: ${counts.join(', ')}, ${sum.unreadable} cannot be opened`);
    }
    rest.push(...((await left?.(database)) ?? []).filter(({ count }) => count > 0));
    for (const { what, count, how } of rest)
      print(`${service}: left under ${setting}_PREVIOUS: ${count} ${what}, which ${how}`);
    if (unreadable > 0) {
      print(
        `${service}: ${unreadable} values open neither with ${setting} nor with ${setting}_PREVIOUS: is ${setting}_PREVIOUS the one of before?`,
      );
      return 1;
    }
    if (rest.length > 0) return 2;
    print(`${service}: nothing is left: ${setting}_PREVIOUS may be removed`);
    return 0;
  } finally {
    await database.close();
  }
}
