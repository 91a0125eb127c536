import { commonSettings, parseConfig, streamSettings } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({
  ...commonSettings,
  ...streamSettings,
});
export type AffiliateConfig = z.infer<typeof configSchema>;

export function readConfig(env: Record<string, string | undefined> = process.env): AffiliateConfig {
  return parseConfig(configSchema, env);
}
