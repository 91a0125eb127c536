import { runService } from '@app/service-kit/run-service';
import { readConfig } from './config.ts';
import { createBilling } from './service.ts';

await runService('billing', readConfig, createBilling);
