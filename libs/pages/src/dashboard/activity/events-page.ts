import { emptyState } from '../../components/parts.ts';
import { html } from '../../html.ts';
import { eventRows, type LoggedEvent } from '../frame/event-rows.ts';
import type { ListContent } from '../frame/lists.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { activityTabs, activityTitle, eventsPath } from './filters.ts';

const texts = {
  part: 'Events',
  about: 'What happened in your shop, whether or not anything was sent about it.',
  empty: 'Nothing has happened yet. Sales, renewals and refunds are listed here.',
} as const;

interface EventsContent extends ListContent {
  readonly events: readonly LoggedEvent[];
}

/** The account's log, newest first. */
export const eventsPage = ({ events, formats, pager }: EventsContent): DashboardPage => ({
  title: activityTitle,
  part: texts.part,
  main: html`${activityTabs(eventsPath)}${
    events.length === 0
      ? emptyState(texts.empty)
      : html`<p class="small quiet">${texts.about}</p>${eventRows(events, formats)}${pager}`
  }`,
});
