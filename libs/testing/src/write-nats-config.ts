/* Writes the configuration of a nats-server that tests share, for TEST_INFRA=external: node libs/testing/src/write-nats-config.ts nats.conf */
import { writeFileSync } from 'node:fs';
import { natsAccountsConfig } from './nats-accounts.ts';

writeFileSync(process.argv[2] ?? 'nats.conf', natsAccountsConfig());
