import { commonSettings, parseConfig, streamSettings } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({
  ...commonSettings,
  ...streamSettings,
});
export type CatalogConfig = z.infer<typeof configSchema>;

export function readConfig(env: Record<string, string | undefined> = process.env): CatalogConfig {
  return parseConfig(configSchema, env);
}
