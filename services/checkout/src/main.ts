import { runMain } from '@app/service-host/run-main';
import { readConfig } from './config.ts';
import { createCheckout } from './service.ts';

await runMain('checkout', readConfig, createCheckout);
