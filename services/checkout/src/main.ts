import { runService } from '@app/service-kit/run-service';
import { readConfig } from './config.ts';
import { createCheckout } from './service.ts';

await runService('checkout', readConfig, createCheckout);
