import { commonSettings, configReader } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z.object({ ...commonSettings });
export type CatalogConfig = z.infer<typeof configSchema>;
export const readConfig = configReader(configSchema);
