import { runMain } from '@app/service-host/run-main';
import { readConfig } from './config.ts';
import { createAffiliate } from './service.ts';

await runMain('affiliate', readConfig, createAffiliate);
