import { isHttps } from './base-url.ts';
import type { EdgeConfig } from './edge-config.ts';

/** What no page uses, so that no script on one may. */
const unused = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'usb',
];

/** A Permissions-Policy. @param payment who may ask the browser for a payment */
export const permissions = (payment: `payment=(${string})`): string =>
  [...unused.map((feature) => `${feature}=()`), payment].join(', ');

/** On every response. A page that shows something sets its own content-security-policy. */
export function securityHeaders(config: EdgeConfig): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Addresses with tokens reach no other site; older browsers send an Origin with forms only if there is a referrer.
    'referrer-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    // Banks and wallets may open windows; windows of other sites have no hold of ours.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': permissions('payment=()'),
    'cache-control': 'no-store',
    ...(isHttps(config) ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}
