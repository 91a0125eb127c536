import { runMain } from '@app/service-host/run-main';
import { readConfig } from './config.ts';
import { createWebhookDispatcher } from './service.ts';

await runMain('webhook-dispatcher', readConfig, createWebhookDispatcher);
