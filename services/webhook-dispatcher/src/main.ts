import { AdjustableClock } from '@app/service-kit/clock';
import { createLogger } from '@app/service-kit/logger';
import { runService } from '@app/service-kit/run-service';
import { startTelemetry } from '@app/service-kit/telemetry';
import { readConfig } from './config.ts';
import { createWebhookDispatcher } from './service.ts';

const config = readConfig();
const logger = createLogger({ service: 'webhook-dispatcher', level: config.LOG_LEVEL });
await startTelemetry({ service: 'webhook-dispatcher', version: '0.1.0', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
await runService({
  name: 'webhook-dispatcher',
  healthPort: config.HEALTH_PORT,
  healthHost: config.HEALTH_HOST,
  logger,
  create: () => createWebhookDispatcher(config, { logger, clock: new AdjustableClock() }),
});
