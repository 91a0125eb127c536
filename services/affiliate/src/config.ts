import { commonSettings, configReader, streamSettings } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({ ...commonSettings, ...streamSettings });
export type AffiliateConfig = z.infer<typeof configSchema>;
export const readConfig = configReader(configSchema);
