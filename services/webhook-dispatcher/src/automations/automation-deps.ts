import type { EndpointDeps } from '../endpoints/endpoint-deps.ts';

export interface AutomationDeps
  extends Pick<EndpointDeps, 'database' | 'clock' | 'secrets' | 'allowLoopback' | 'applyChange' | 'announce'> {
  /** Whether this deployment has a mail server. */
  readonly emailsAvailable: boolean;
  /** This deployment's address, without a slash at its end: emails have links and the shop's logo there. */
  readonly publicUrl: string;
}
