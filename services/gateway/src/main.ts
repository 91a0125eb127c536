import { runService } from '@app/service-kit/run-service';
import { readConfig } from './config.ts';
import { createGateway } from './service.ts';

await runService('gateway', readConfig, createGateway);
