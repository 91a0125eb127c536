import { AdjustableClock } from '@app/service-kit/clock';
import { createLogger } from '@app/service-kit/logger';
import { runService } from '@app/service-kit/run-service';
import { startTelemetry } from '@app/service-kit/telemetry';
import { readConfig } from './config.ts';
import { createAffiliate } from './service.ts';

const config = readConfig();
const logger = createLogger({ service: 'affiliate', level: config.LOG_LEVEL });
await startTelemetry({ service: 'affiliate', version: '0.1.0', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
await runService({
  name: 'affiliate',
  healthPort: config.HEALTH_PORT,
  healthHost: config.HEALTH_HOST,
  logger,
  create: () => createAffiliate(config, { logger, clock: new AdjustableClock() }),
});
