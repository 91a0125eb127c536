export interface DailyConfig {
  readonly gatewayUrl: string;
  readonly platformKey: string;
  /** Minutes after midnight, UTC. */
  readonly startMinute: number;
}

export function readConfig(env: Record<string, string | undefined> = process.env): DailyConfig {
  const { GATEWAY_URL: gatewayUrl, PLATFORM_KEY: platformKey } = env;
  if (!gatewayUrl || !platformKey) throw new Error('GATEWAY_URL and PLATFORM_KEY are required');
  const time = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(env.DAILY_AT || '03:00');
  if (time === null) throw new Error('DAILY_AT must be a time of day in UTC, such as 03:00');
  return { gatewayUrl, platformKey, startMinute: Number(time[1]) * 60 + Number(time[2]) };
}
