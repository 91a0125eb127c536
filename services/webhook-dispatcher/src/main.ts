import { runMain } from '@app/service-host/run-main';
import { readConfig } from './config.ts';
import { dispatcherRotation } from './rotation.ts';
import { createWebhookDispatcher } from './service.ts';

await runMain('webhook-dispatcher', readConfig, createWebhookDispatcher, dispatcherRotation);
