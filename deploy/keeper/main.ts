/*
 * Keeps the streams in NATS (libs/messaging/src/keeper.ts): one process beside the services; npm start has it in its own.
 * A second one does no harm.
 */
import { connectNats, natsCheck } from '@app/messaging/connect';
import { startKeeper } from '@app/messaging/keeper';
import { natsOptions } from '@app/messaging/nats-options';
import { configReader, keeperConfig } from '@app/service-kit/config';
import { ResourceStack } from '@app/service-kit/resource-stack';
import { runService } from '@app/service-kit/run-service';

await runService('keeper', configReader(keeperConfig), async (config, { logger }) => {
  const resources = new ResourceStack(logger);
  const link = await connectNats({ ...natsOptions(config), service: 'keeper', logger });
  const nats = resources.add('nats', link, (opened) => opened.close());
  const { STREAM_REPLICAS: streamReplicas, STREAM_MAX_BYTES: streamMaxBytes } = config;
  const started = await startKeeper({ nats, logger, streamReplicas, streamMaxBytes });
  const keeper = resources.add('keeper', started, (opened) => opened.close());
  return { name: 'keeper', checks: [natsCheck(nats), ...keeper.checks], close: () => resources.close() };
});
