import { runMain } from '@app/service-host/run-main';
import { readConfig } from './config.ts';
import { createMetrics } from './service.ts';

await runMain('metrics', readConfig, createMetrics);
