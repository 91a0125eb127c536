import { linkButton } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { notice } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import { eventLabel } from '../frame/event-names.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { endpointBadge } from './endpoints-page.ts';
import { type Delivery, latestDeliveries } from './latest-deliveries.ts';
import { type Endpoint, endpointPath, hostOf, integrationsTitle, recoveryPath, webhooksPath } from './parts.ts';

const texts = {
  failing: 'Nothing has arrived since',
  failingEnds:
    'Every attempt since then has failed. After five days without one that arrives, the endpoint is switched off.',
  offBySeller: 'You switched it off. Events are held for 30 days.',
  offGone: 'It was switched off, because it answered 410 (gone). Events are held for 30 days.',
  offFailing: 'It was switched off, because nothing had arrived for five days. Events are held for 30 days.',
  seeWhy: 'See why',
  held: (count: string) => `${count} events are held for it.`,
  heldOne: '1 event is held for it.',
  decide: 'Decide what becomes of them',
  recovering: 'Events are being sent again.',
  seeHow: 'See how far it is',
  test: 'Send a test',
  change: 'Change it',
  secret: 'Signing secret',
  selfTest: 'Test its signature check',
  recover: 'Send events again',
  switchOff: 'Switch it off',
  switchOn: 'Switch it on',
  remove: 'Remove it',
  setup: 'Set-up',
  events: 'Events',
  every: 'Every event',
  headers: 'Extra headers',
  noHeaders: 'None',
  url: 'URL',
  added: 'Added',
  twoSecrets: 'Two signatures until',
  none: 'Nothing was sent to it yet. A test shows whether it takes what you sell.',
} as const;

interface EndpointContent {
  readonly endpoint: Endpoint;
  readonly deliveries: readonly Delivery[];
  readonly formats: Formats;
  /** What was just done to it. */
  readonly done: string | null;
}

/** One endpoint: how it is, what it is sent, and all that can be done with it. */
export function endpointPage({ endpoint, deliveries, formats, done }: EndpointContent): DashboardPage {
  const { id, url, description } = endpoint;
  const test = linkButton({ label: texts.test, href: endpointPath(id, '/test') });
  const latest = latestDeliveries({ id, deliveries, formats, empty: emptyState(texts.none, test) });
  return {
    title: description === '' ? hostOf(url) : description,
    heading: html`<bdi>${description === '' ? url : description}</bdi>`,
    back: { href: webhooksPath, label: integrationsTitle },
    about: endpointBadge(endpoint),
    action: linkButton({ label: texts.test, href: endpointPath(id, '/test'), kind: 'accent' }),
    main: html`${done !== null && notice('good', done)}${noticesOf(endpoint, formats)}<div class="two-columns">${latest}<div class="stack">${card(
      texts.setup,
      setupOf(endpoint, formats),
    )}</div></div>`,
  };
}

function noticesOf({ id, switched_off, failing_since, held, recovery_id }: Endpoint, formats: Formats): Html {
  const attempts = html`<a href="/app/activity?endpointId=${id}&amp;status=failed">${texts.seeWhy}</a>`;
  const off = { seller: texts.offBySeller, gone: texts.offGone, failing: texts.offFailing };
  const count = held.count === 1 ? texts.heldOne : texts.held(`${formats.count(held.count)}${held.more ? '+' : ''}`);
  return html`${switched_off !== null && notice(switched_off.reason === 'seller' ? 'info' : 'bad', off[switched_off.reason], switched_off.reason === 'seller' ? undefined : attempts)}${
    switched_off === null &&
    failing_since !== null &&
    notice('bad', html`${texts.failing} ${when(failing_since, formats)}. ${texts.failingEnds}`, attempts)
  }${held.count > 0 && recovery_id === null && notice('warn', count, html`<a href="${endpointPath(id, '/held')}">${texts.decide}</a>`)}${
    recovery_id !== null &&
    notice('info', texts.recovering, html`<a href="${recoveryPath(recovery_id)}">${texts.seeHow}</a>`)
  }`;
}

function setupOf(endpoint: Endpoint, formats: Formats): Html {
  const { id, url, events, headers, active, previous_secret_expires_at: two, created_at } = endpoint;
  const to = (page: string, label: string) => html`<li><a href="${endpointPath(id, page)}">${label}</a></li>`;
  const named =
    events === null
      ? texts.every
      : joined(
          events.map((name) => html`${eventLabel(name)}`),
          ', ',
        );
  const known = facts([
    [texts.url, html`<bdi>${url}</bdi>`],
    [texts.events, named],
    [texts.headers, headers.length === 0 ? texts.noHeaders : html`<bdi>${headers.join(', ')}</bdi>`],
    [texts.added, when(created_at, formats)],
    ...(two === null ? [] : [[texts.twoSecrets, when(two, formats)] as const]),
  ]);
  return html`${known}<ul class="links">${to('/change', texts.change)}${to('/secret', texts.secret)}${to('/self-test', texts.selfTest)}${to(
    '/recover',
    texts.recover,
  )}${to('/switch', active ? texts.switchOff : texts.switchOn)}${to('/remove', texts.remove)}</ul>`;
}
