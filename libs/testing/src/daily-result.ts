import type { DailyResult } from '@app/contracts/daily-runs';

/** Of a daily run that found nothing due. */
export const nothingDone: DailyResult = {
  ok: true,
  rebills: { charged: 0, chargedCents: 0, retried: 0, canceled: 0 },
  recovery: { sent: 0, recovered: 0 },
  holdsSettled: 0,
  chargedByCurrency: {},
  blocked: 0,
  waiting: 0,
  problems: [],
};
