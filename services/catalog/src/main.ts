import { runService } from '@app/service-kit/run-service';
import { readConfig } from './config.ts';
import { createCatalog } from './service.ts';

await runService('catalog', readConfig, createCatalog);
