import { join } from 'node:path';
import { startNatsServer } from '../src/nats-server.ts';
import { startPostgres } from '../src/postgres.ts';

const answer = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  const [dataDir = '', natsBinary] = process.argv.slice(2);
  const server = await startPostgres({ dataDir, durable: false });
  const nats = natsBinary && (await startNatsServer({ binary: natsBinary, dataDir: join(dataDir, 'nats') }));
  process.once('SIGTERM', () => void server.stop());
  answer({ url: server.url, pid: server.pid, ...(nats ? { natsPid: nats.pid } : {}) });
} catch (err) {
  answer({ error: (err as Error).message });
}
