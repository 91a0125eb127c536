import type { ServiceContext } from '@app/service-host/define-service';
import { ConfigError } from '@app/service-kit/config';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import type { ClockControl } from './api/app.ts';
import type { GatewayConfig } from './config.ts';
import type { HealthTimes } from './edge/health-routes.ts';
import type { PasswordCost } from './identity/password.ts';
import type { McpExtension } from './mcp/mcp-server.ts';

/** What the first seller is made with, in a process with all services. */
export type GatewayParts = Pick<ServiceContext<GatewayConfig>, 'database' | 'requester' | 'wakeRelay'>;

export interface GatewayDeps extends ServiceDeps {
  /** How the test clock reaches every service; without it the clock cannot be moved, and CLOCK_CONTROL is off. */
  readonly clockControl?: ClockControl;
  /** Why a write would fail (a full disk), read before each, where one process knows that of all services. */
  readonly writeRefusal?: () => string | undefined;
  /** Done before requests come in, while the gateway already publishes its events; they come in when it has succeeded. */
  readonly beforeListening?: (parts: GatewayParts) => Promise<void>;
  /** How long requests under way may take once the gateway closes, in milliseconds; 4,000 unless given. */
  readonly finishWithinMs?: number;
  /** How long a request waits for its part of the quota that replicas share. Left out except by tests of just that. */
  readonly quotaWithinMs?: number;
  /** Of new passwords. Left out except by tests of anything else: a hash takes a third of a second of CPU. */
  readonly passwordCost?: PasswordCost;
  /** Left out except by the tests of the protocol. */
  readonly mcpExtension?: McpExtension;
  /** Left out except by tests of readiness. */
  readonly healthTimes?: HealthTimes;
}

export interface RunningGateway extends RunningService {
  /** Where it listens, for callers on this machine. */
  readonly url: string;
}

/** @throws ConfigError where the clock is to be moved, and nothing moves that of the other services */
export function checkClockControl(config: GatewayConfig, deps: GatewayDeps): void {
  if (config.CLOCK_CONTROL === 'enabled' && deps.clockControl === undefined) {
    throw new ConfigError(['CLOCK_CONTROL: the test clock exists only where all services share a process']);
  }
}
