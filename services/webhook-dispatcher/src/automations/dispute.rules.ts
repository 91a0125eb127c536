import type { Payload } from '@app/contracts/triggers';

/** What `automationEmail` says of a dispute in place of its payload's codes and times: words, and the last moment for evidence in UTC. */
export function disputeOf(payload: Payload): { reason: string; outcome: string; evidenceDueBy: string } | undefined {
  if (payload.event !== 'dispute.opened' && payload.event !== 'dispute.closed') return undefined;
  const { reason = '', outcome = '', evidenceDueBy = '' } = payload;
  const spaced = String(reason).replaceAll('_', ' ');
  return {
    reason: spaced.charAt(0).toUpperCase() + spaced.slice(1),
    outcome: String(outcome).replaceAll('_', ' '),
    evidenceDueBy: momentOf(String(evidenceDueBy)),
  };
}

const momentOf = (time: string): string =>
  Number.isNaN(Date.parse(time)) ? '' : `${moments.format(new Date(time))} UTC`;
const moments = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  timeZone: 'UTC',
});
