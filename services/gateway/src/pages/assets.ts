import { readFileSync } from 'node:fs';
import { pageFiles } from '@app/pages/files';
import type { Clock } from '@app/service-kit/clock';
import type { FastifyInstance } from 'fastify';
import { createAssets } from '../edge/assets.ts';

const file = (path: string): Buffer => readFileSync(new URL(path, import.meta.url));

/** Everything that our pages load, by name. */
export const assets = createAssets({
  'icon.svg': file('icon.svg'),
  ...Object.fromEntries(
    Object.entries(pageFiles).map(([name, parts]) => [name, Buffer.concat(parts.map((part) => readFileSync(part)))]),
  ),
});

/** Browsers request it where no page names an icon: for openapi.json, say. */
const favicon = file('favicon.ico');

/** Every page that search engines may not list says so itself; there is nothing for them in the API. */
const robots = 'User-agent: *\nDisallow: /api/\nDisallow: /mcp\n';

/** What a deployment says at well-known addresses. */
interface WellKnown {
  readonly APPLE_PAY_DOMAIN_FILE?: string | undefined;
  readonly SECURITY_CONTACT?: string | undefined;
  readonly PUBLIC_URL?: string | undefined;
}

const plainText = 'text/plain; charset=utf-8';
const forADay = 'public, max-age=86400';

/** @throws Error where the file for Apple cannot be read */
export function routeAssets(server: FastifyInstance, config: WellKnown, clock: Clock): void {
  assets.route(server);
  routeWellKnown(server, config, clock);
  server.get('/favicon.ico', (_, reply) =>
    reply.header('cache-control', forADay).type('image/vnd.microsoft.icon').send(favicon),
  );
  server.get('/robots.txt', (_, reply) => reply.header('cache-control', forADay).type(plainText).send(robots));
}

/**
 * `apple-developer-merchantid-domain-association` is what Apple reads before it shows Apple Pay at this domain: the same for every account of
 * Stripe, and answered without a redirect (https://docs.stripe.com/payments/payment-methods/pmd-registration).
 */
function routeWellKnown(server: FastifyInstance, config: WellKnown, clock: Clock): void {
  const { APPLE_PAY_DOMAIN_FILE: appleFile, SECURITY_CONTACT: contact, PUBLIC_URL: publicUrl } = config;
  if (appleFile !== undefined) {
    const bytes = readFileSync(appleFile);
    server.get('/.well-known/apple-developer-merchantid-domain-association', (_, reply) =>
      reply.header('cache-control', forADay).type(plainText).send(bytes),
    );
  }
  // Where password managers send people (https://w3c.github.io/webappsec-change-password-url/).
  server.get('/.well-known/change-password', (_, reply) => reply.redirect('/app/settings/account', 302));
  if (contact === undefined) return;
  const securityTxt = '/.well-known/security.txt';
  server.get(securityTxt, (_, reply) =>
    reply
      .header('cache-control', forADay)
      .type(plainText)
      .send(securityText(contact, publicUrl === undefined ? null : `${publicUrl}${securityTxt}`, clock.nowMs())),
  );
}

const validMs = 180 * 86_400_000;

/** As RFC 9116 has it: true for some months, so that an abandoned deployment does not name a contact for good. */
function securityText(contact: string, canonical: string | null, nowMs: number): string {
  const expires = new Date(nowMs + validMs).toISOString();
  const lines = [`Contact: ${contact}`, `Expires: ${expires}`, 'Preferred-Languages: en'];
  return [...lines, ...(canonical === null ? [] : [`Canonical: ${canonical}`]), ''].join('\n');
}
