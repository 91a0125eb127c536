import { commonSettings, integerSetting, parseConfig } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({
  ...commonSettings,
  /** Copies of the event streams in a JetStream cluster. */
  STREAM_REPLICAS: integerSetting(1, 5, 1),
});
export type AffiliateConfig = z.infer<typeof configSchema>;

export function readConfig(env: Record<string, string | undefined> = process.env): AffiliateConfig {
  return parseConfig(configSchema, env);
}
