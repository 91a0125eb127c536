import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the deployment must keep to itself: made at the first start, kept in the data directory, readable by its owner. */
export interface Secrets {
  readonly keyPepper: string;
  readonly platformKey: string;
  readonly secretsKey: string;
  readonly databasePassword: string;
  readonly natsPassword: string;
  readonly sellerPassword: string;
  /** When this deployment first started, in milliseconds since the epoch. */
  readonly startedAt: number;
}

const names = ['keyPepper', 'platformKey', 'secretsKey', 'databasePassword', 'natsPassword', 'sellerPassword'] as const;

export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>) : {};
  const fresh = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('base64url')]));
  const secrets = { startedAt: Date.now(), ...fresh, ...kept } as Secrets;
  if (Object.keys(secrets).length > Object.keys(kept).length) writePrivate(file, secrets);
  return secrets;
}

/** Written beside and renamed, so that a crash leaves the old file or the new one, never half of one. */
export function writePrivate(file: string, content: object): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}
