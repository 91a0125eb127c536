import { commonSettings, parseConfig } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({
  ...commonSettings,
});
export type MetricsConfig = z.infer<typeof configSchema>;

export function readConfig(env: Record<string, string | undefined> = process.env): MetricsConfig {
  return parseConfig(configSchema, env);
}
