import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ServiceName } from '@app/contracts/services';

/**
 * What a release has left in the data directory of `npm start`, without the servers' own files: another version of PostgreSQL
 * can read it as well. A test starts the present version on it.
 */
export interface ReleaseData {
  readonly version: string;
  readonly databases: Readonly<Record<ServiceName, DatabaseData>>;
  /** All other files of the data directory by path, in base64: secrets, credentials, the streams. */
  readonly files: Readonly<Record<string, string>>;
  /** The responses to `readPaths` at the time. */
  readonly responses: Readonly<Record<string, unknown>>;
  /** What its webhooks are signed with. */
  readonly webhookSecret: string;
}

export interface DatabaseData {
  /** The statements as the release ran them: a migration that is changed later is detected. */
  readonly migrations: readonly { readonly name: string; readonly sql: string }[];
  /** Statements that make the partitions that the service had made. */
  readonly partitions: readonly string[];
  /** Rows by table, as PostgreSQL's `json_agg` has them: numbers keep all their digits. */
  readonly tables: Readonly<Record<string, { readonly columns: readonly string[]; readonly rows: string }>>;
  readonly sequences: Readonly<Record<string, { readonly value: string; readonly isCalled: boolean }>>;
}

/** What a seller reads, and has to read alike after an upgrade, however old the data are by then. */
export const readPaths = [
  '/api/v1/settings',
  '/api/v1/products',
  '/api/v1/orders?limit=100',
  '/api/v1/payments?limit=100',
  '/api/v1/affiliates',
  '/api/v1/payment-processor',
] as const;

/** Where the release's seller had webhooks sent to; no server listens there. */
export const goneReceiver = 'http://127.0.0.1:9/';

export const releaseFile = (version: string): string => join(import.meta.dirname, `data-${version}.json.gz`);

/** The versions whose data are kept: every release from 0.2.0 on. */
export const releases: readonly string[] = readdirSync(import.meta.dirname).flatMap(
  (name) => /^data-([\d.]+)\.json\.gz$/.exec(name)?.slice(1) ?? [],
);

export async function readReleaseData(version: string): Promise<ReleaseData> {
  const packed = await readFile(releaseFile(version));
  return JSON.parse(gunzipSync(packed).toString()) as ReleaseData;
}

export async function writeReleaseData(data: ReleaseData): Promise<number> {
  const packed = gzipSync(JSON.stringify(data), { level: 9 });
  await writeFile(releaseFile(data.version), packed);
  return packed.length;
}

/** A response without the address at which this start listens. */
export const withoutAddress = (text: string, baseUrl: string): unknown =>
  JSON.parse(text.replaceAll(baseUrl, 'https://shop.example'));
