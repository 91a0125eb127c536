import type { TestProject } from 'vitest/node';
import { type RunningInfra, startInfra, type TestInfra } from './infra.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testInfra: TestInfra;
  }
}

/** On the global object, because Vitest may load this module once per project and the servers are for all of them. */
interface Shared {
  users: number;
  running: Promise<RunningInfra> | undefined;
}

const registry = globalThis as { funnelryTestInfra?: Shared };
registry.funnelryTestInfra ??= { users: 0, running: undefined };
const shared: Shared = registry.funnelryTestInfra;

/** Vitest calls this once per project before its first test file; the first call starts the servers. */
export async function setup(project: TestProject): Promise<void> {
  shared.users++;
  shared.running ??= startInfra();
  project.provide('testInfra', (await shared.running).infra);
}

/** The last project stops them. */
export async function teardown(): Promise<void> {
  if (--shared.users > 0) return;
  const running = await shared.running;
  shared.running = undefined;
  await running?.stop();
}
