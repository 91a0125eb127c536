import { fold } from '../../components/card.ts';
import { type Html, html } from '../../html.ts';

/** Which webhooks something sends: names for developers, which no one else has to read. */
export const webhooksSent = (events: Html): Html => fold('Webhooks that are sent', html`<p>${events}</p>`);
