import { runService } from '@app/service-kit/run-service';
import { readConfig } from './config.ts';
import { createAffiliate } from './service.ts';

await runService('affiliate', readConfig, createAffiliate);
