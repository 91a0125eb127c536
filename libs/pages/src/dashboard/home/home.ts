import { html } from '../../html.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';

/** GET of the first page. */
export async function showHome(visit: Visit): Promise<DashboardPage> {
  const { name } = await visit.account();
  return { title: 'Home', main: html`<p><bdi>${name}</bdi></p>` };
}
