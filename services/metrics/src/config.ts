import { commonSettings, integerSetting, parseConfig } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({
  ...commonSettings,
  /** Copies of an event stream in a JetStream cluster, should this service be first to need it. */
  STREAM_REPLICAS: integerSetting(1, 5, 1),
});
export type MetricsConfig = z.infer<typeof configSchema>;

export function readConfig(env: Record<string, string | undefined> = process.env): MetricsConfig {
  return parseConfig(configSchema, env);
}
