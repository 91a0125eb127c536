import { AdjustableClock } from '@app/service-kit/clock';
import { createLogger } from '@app/service-kit/logger';
import { runService } from '@app/service-kit/run-service';
import { startTelemetry } from '@app/service-kit/telemetry';
import { readConfig } from './config.ts';
import { createGateway } from './service.ts';

const config = readConfig();
const logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL });
await startTelemetry({ service: 'gateway', version: '0.1.0', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
await runService({
  name: 'gateway',
  healthPort: config.HEALTH_PORT,
  healthHost: config.HEALTH_HOST,
  logger,
  create: () => createGateway(config, { logger, clock: new AdjustableClock() }),
});
