import { runService } from '@app/service-kit/run-service';
import { readConfig } from './config.ts';
import { createWebhookDispatcher } from './service.ts';

await runService('webhook-dispatcher', readConfig, createWebhookDispatcher);
