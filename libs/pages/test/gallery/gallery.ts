import { renderPage } from '../../src/developers/layout.ts';
import { type DocumentOptions, renderDocument } from '../../src/document.ts';
import { html } from '../../src/html.ts';
import { componentStates } from './component-states.ts';
import { dashboardAffiliatesStates } from './dashboard-affiliates-states.ts';
import { dashboardAutomationsStates } from './dashboard-automations-states.ts';
import { numbersStates } from './dashboard-numbers-states.ts';
import { dashboardOrdersStates } from './dashboard-orders-states.ts';
import { productsStates } from './dashboard-products-states.ts';
import { securityStates } from './dashboard-security-states.ts';
import { settingsStates } from './dashboard-settings-states.ts';
import { dashboardStates } from './dashboard-states.ts';
import { dashboardSubscriptionsStates } from './dashboard-subscriptions-states.ts';
import { dashboardToolsStates } from './dashboard-tools-states.ts';
import { developerStates } from './developer-states.ts';
import { letterStates } from './letter-states.ts';
import { pageStates } from './page-states.ts';
import { portalStates } from './portal-states.ts';
import { stripeStates } from './stripe-states.ts';

export interface GalleryPage {
  readonly name: string;
  /** The whole document; addresses of stylesheets and scripts are the server's. */
  render(assets: Pick<DocumentOptions, 'stylesheets' | 'scripts'>): string;
}

const developerAssets = { icon: '/icon.svg', stylesheet: '/developers.css', script: '/developers.js' };

/** Every component and every page in every state, for people and for tests that inspect pages. */
export const gallery: readonly GalleryPage[] = [
  ...Object.entries(componentStates).map(([name, states]) => ({
    name,
    render: (assets: Pick<DocumentOptions, 'stylesheets' | 'scripts'>) =>
      renderDocument({
        title: name,
        stylesheets: assets.stylesheets,
        scripts: assets.scripts,
        body: html`<main class="single"><h1>${name}</h1>${states()}</main>`,
      }),
  })),
  ...Object.entries({
    ...pageStates,
    ...portalStates,
    ...stripeStates,
    ...letterStates,
    ...dashboardStates,
    ...dashboardAffiliatesStates,
    ...dashboardSubscriptionsStates,
    ...dashboardOrdersStates,
    ...numbersStates,
    ...productsStates,
    ...settingsStates,
    ...securityStates,
    ...dashboardToolsStates,
    ...dashboardAutomationsStates,
  }).map(([name, page]) => ({
    name,
    render: (assets: Pick<DocumentOptions, 'stylesheets' | 'scripts'>) =>
      renderDocument({ title: name, stylesheets: assets.stylesheets, scripts: assets.scripts, body: page() }),
  })),
  ...Object.entries(developerStates).map(([name, page]) => ({
    name,
    render: () => renderPage(page(), developerAssets),
  })),
];
