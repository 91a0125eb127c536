import { AdjustableClock } from '@app/service-kit/clock';
import { createLogger } from '@app/service-kit/logger';
import { runService } from '@app/service-kit/run-service';
import { startTelemetry } from '@app/service-kit/telemetry';
import { readConfig } from './config.ts';
import { createBilling } from './service.ts';

const config = readConfig();
const logger = createLogger({ service: 'billing', level: config.LOG_LEVEL });
await startTelemetry({ service: 'billing', version: '0.1.0', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
await runService({
  name: 'billing',
  healthPort: config.HEALTH_PORT,
  healthHost: config.HEALTH_HOST,
  logger,
  create: () => createBilling(config, { logger, clock: new AdjustableClock() }),
});
