import { runMain } from '@app/service-host/run-main';
import { readConfig } from './config.ts';
import { billingRotation } from './rotation.ts';
import { createBilling } from './service.ts';

await runMain('billing', readConfig, createBilling, billingRotation);
