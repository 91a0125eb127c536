import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import { within } from './within.ts';

/** Something that must work for a service to be ready; throws when it does not. */
export interface Check {
  readonly name: string;
  check(): Promise<void>;
  /** @throws Error when only a new process can mend it */
  checkAlive?(): void;
  /** What a person should check, though the service is ready. */
  warning?(): string | undefined;
}

export interface RunningService {
  readonly name: string;
  readonly checks: readonly Check[];
  close(): Promise<void>;
}

export interface ServiceDeps {
  readonly logger: Logger;
  readonly clock: Clock;
  /** When the process that all services share runs the daily job of all accounts next, in epoch milliseconds; undefined where it does not. */
  readonly nextDailyRunMs?: () => number | undefined;
}

const checkLimitMs = 1_000;

/** Runs all checks at once, each for a second at most; names those that fail. */
export async function readiness(checks: readonly Check[]): Promise<{ ready: boolean; missing: string[] }> {
  const passed = await Promise.all(checks.map((check) => passes(check)));
  const missing = checks.filter((_, index) => !passed[index]).map((check) => check.name);
  return { ready: missing.length === 0, missing };
}

/** What people should check, in the words of the checks; once, where several services say the same. */
export function warningsOf(checks: readonly Check[]): string[] {
  return [...new Set(checks.flatMap((check) => check.warning?.() ?? []))];
}

/** Names what only a new process can mend. */
export function beyondRepair(checks: readonly Check[]): string[] {
  return checks.filter((check) => !isAlive(check)).map((check) => check.name);
}

function isAlive(check: Check): boolean {
  try {
    check.checkAlive?.();
    return true;
  } catch {
    return false;
  }
}

async function passes(check: Check): Promise<boolean> {
  const passed = async (): Promise<boolean> => {
    await check.check();
    return true;
  };
  return await within(checkLimitMs, passed(), () => false).catch(() => false);
}
