import { commonSettings, integerSetting, parseConfig } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({
  ...commonSettings,
  /** Copies of the event stream in a JetStream cluster. */
  STREAM_REPLICAS: integerSetting(1, 5, 1),
});
export type CatalogConfig = z.infer<typeof configSchema>;

export function readConfig(env: Record<string, string | undefined> = process.env): CatalogConfig {
  return parseConfig(configSchema, env);
}
