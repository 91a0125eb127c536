import { startPostgres } from '../src/postgres.ts';

const answer = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  const server = await startPostgres({ dataDir: process.argv[2] ?? '', durable: false });
  process.once('SIGTERM', () => void server.stop());
  answer({ url: server.url, pid: server.pid });
} catch (err) {
  answer({ error: (err as Error).message });
}
