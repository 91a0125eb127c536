/*
 * Writes the configuration of nats-server beside this file, or into the file that is named:
 * npm run nats-config -- [file]. Run it after a change in who requests or consumes what.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsPasswordVariable, natsUsersConfig } from '@app/messaging/nats-config';

const head = `# Written by npm run nats-config; the permissions follow from libs/contracts/src/topology.ts.
# Passwords come from the server's environment. Let each begin with a letter: a bare 12345 or 3m is read as a number.
port: 4222
http_port: 8222
jetstream { store_dir: "/data" }
`;

writeFileSync(
  process.argv[2] ?? join(import.meta.dirname, 'nats.conf'),
  head + natsUsersConfig((name) => `$${natsPasswordVariable(name)}`),
);
