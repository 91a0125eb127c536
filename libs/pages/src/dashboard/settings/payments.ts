import { button } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { type Html, html } from '../../html.ts';
import { form } from '../frame/forms.ts';
import { type Answer, type DashboardPage, onTo, type Visit } from '../frame/visit.ts';
import { savedText, settingsPage } from './settings-page.ts';

const texts = {
  processor: 'Payment processor',
  chosen: 'Chosen',
  simulated: 'Simulated: it moves no money',
  stripe: 'Stripe: your own account there',
  none: 'None: live checkouts cannot be paid',
  about:
    'The simulated processor takes test cards, so that you can try everything: buying, holds, renewals and refunds.',
  choose: 'Use the simulated processor',
  busy: 'One moment…',
} as const;

type Processor = 'simulated' | 'stripe' | 'none';

/** GET of which processor charges buyers. */
export async function showPayments(visit: Visit): Promise<DashboardPage> {
  const { processor } = await visit.read('getPaymentProcessor', {});
  return settingsPage('/app/settings/payments', paymentsContent(visit, processor), savedText(visit.request.query));
}

export async function takePayments(visit: Visit): Promise<Answer> {
  await visit.read('putPaymentProcessor', { body: { processor: 'simulated' } });
  return onTo(`${visit.path}?saved=1`);
}

export function paymentsContent(visit: Visit, processor: Processor): Html {
  const choose = button({ label: texts.choose, busyLabel: texts.busy, kind: 'accent' });
  return html`${card(texts.processor, facts([[texts.chosen, texts[processor]]]))}<p>${texts.about}</p>${
    processor === 'none' && form(visit, { content: html``, buttons: choose })
  }`;
}
