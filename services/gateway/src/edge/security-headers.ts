import { isHttps } from './base-url.ts';
import type { EdgeConfig } from './edge-config.ts';

/** On every response. A page that shows something sets its own content-security-policy. */
export function securityHeaders(config: EdgeConfig): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Addresses with tokens reach no other site; older browsers send an Origin with forms only if there is a referrer.
    'referrer-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    ...(isHttps(config) ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}
