import { runMain } from '@app/service-host/run-main';
import { readConfig } from './config.ts';
import { createGateway } from './service.ts';

await runMain('gateway', readConfig, createGateway);
