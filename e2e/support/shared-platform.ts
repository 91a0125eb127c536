import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestNats, type TestNats } from '@app/testing/nats';
import { type Cluster, startClusterOn } from './cluster.ts';

/** All services in one process. */
export interface SharedPlatform extends Cluster<TestNats> {
  /** Reminders are files here. */
  readonly emails: string;
}

let started: Promise<SharedPlatform> | undefined;

/**
 * The platform that the test files of this worker share, started by the first: for tests that end nothing and change only
 * what belongs to an account that they signed up. It ends with the worker.
 */
export function sharedPlatform(): Promise<SharedPlatform> {
  started ??= start();
  return started;
}

async function start(): Promise<SharedPlatform> {
  const emails = mkdtempSync(join(tmpdir(), 'funnelry-emails-'));
  process.once('exit', () => rmSync(emails, { recursive: true, force: true }));
  const platform = await startClusterOn(await createTestNats(), { emails, apart: [] });
  return { ...platform, emails };
}
