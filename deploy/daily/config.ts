import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMinuteOf } from '@app/runs/start-time';

export interface DailyConfig {
  readonly gatewayUrl: string;
  /** The platform key, which runs the job for every account, or a seller's. */
  readonly key: string;
  /** Minutes after midnight, UTC. */
  readonly startMinute: number;
}

type Env = Record<string, string | undefined>;

/**
 * From the environment: BASE_URL or GATEWAY_URL, and PLATFORM_KEY or API_KEY. What is not set there is read from the
 * credentials that `npm start` has written, in DATA_DIR.
 */
export function readConfig(env: Env = process.env): DailyConfig {
  const written = writtenCredentials(env);
  const gatewayUrl = env.BASE_URL || env.GATEWAY_URL || written.baseUrl;
  const key = env.PLATFORM_KEY || env.API_KEY || written.platformKey;
  if (!gatewayUrl || !key) {
    throw new Error(
      'GATEWAY_URL (or BASE_URL) and PLATFORM_KEY (or API_KEY) are required: DATA_DIR has no credentials.json',
    );
  }
  if (!URL.canParse(gatewayUrl)) throw new Error('GATEWAY_URL must be an address, such as http://127.0.0.1:3000');
  const startMinute = startMinuteOf(env.DAILY_AT || '03:00');
  if (startMinute === undefined) throw new Error('DAILY_AT must be a time of day in UTC, such as 03:00');
  return { gatewayUrl, key, startMinute };
}

function writtenCredentials({ DATA_DIR: dataDir = '.data' }: Env): { baseUrl?: string; platformKey?: string } {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  } catch {
    return {};
  }
}
