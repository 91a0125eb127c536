import { runMain } from '@app/service-host/run-main';
import { readConfig } from './config.ts';
import { createCatalog } from './service.ts';

await runMain('catalog', readConfig, createCatalog);
