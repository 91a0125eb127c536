import { runService } from '@app/service-kit/run-service';
import { readConfig } from './config.ts';
import { createMetrics } from './service.ts';

await runService('metrics', readConfig, createMetrics);
