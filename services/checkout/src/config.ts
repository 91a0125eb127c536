import { commonSettings, parseConfig } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({
  ...commonSettings,
  /** Copies of the event stream in a JetStream cluster. */
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
});
export type CheckoutConfig = z.infer<typeof configSchema>;

export function readConfig(env: Record<string, string | undefined> = process.env): CheckoutConfig {
  return parseConfig(configSchema, env);
}
