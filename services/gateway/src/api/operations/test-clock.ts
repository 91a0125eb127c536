import { instant, timestamp } from '@app/contracts/common';
import { invalidField } from '@app/contracts/validation';
import { parseIsoDuration } from '@app/service-kit/clock';
import { z } from 'zod';
import type { App, ClockControl } from '../app.ts';
import { defineOperation, tagged } from '../operation.ts';

const common = { path: '/api/dev/clock', auth: 'platform' } as const;
const clockResource = z.object({ now: timestamp }).meta({ id: 'Clock' });
const moveClockBody = z
  .strictObject({
    now: instant.optional(),
    advance: z.string().max(40).optional().describe('An ISO 8601 duration, such as `P3D`.'),
  })
  .refine(({ now, advance }) => (now === undefined) !== (advance === undefined), {
    path: ['now'],
    message: 'is required where advance is not given, and cannot be given together with it',
  })
  .meta({ id: 'ClockMove' });

/** Dates beyond are of no use to a test and break arithmetic on months. */
const yearMax = 2200;

/** Lets tests live through subscription years; only where CLOCK_CONTROL is enabled. */
export const devClockOperations = tagged('Test clock', [
  defineOperation({
    ...common,
    id: 'getClock',
    method: 'GET',
    summary: 'Read the deployment’s clock',
    response: clockResource,
    errors: [],
    run: async ({ app }) => ({ now: app.clock.now().toISOString() }),
  }),
  defineOperation({
    ...common,
    id: 'moveClock',
    method: 'PUT',
    summary: 'Move the clock of every service',
    body: moveClockBody,
    response: clockResource,
    worksInCopy: true,
    errors: [],
    run: async ({ app, body }) => {
      const { now, advance = '' } = body;
      const targetMs = now === undefined ? app.clock.nowMs() + durationMs(advance) : Date.parse(now);
      const year = new Date(targetMs).getUTCFullYear();
      if (!(year >= 1970 && year <= yearMax)) throw invalidField('now', `must be between 1970 and ${yearMax}`);
      return await moveTo(app, targetMs - Date.now());
    },
  }),
  defineOperation({
    ...common,
    id: 'resetClock',
    method: 'DELETE',
    summary: 'Return to real time',
    response: clockResource,
    worksInCopy: true,
    errors: [],
    run: async ({ app }) => await moveTo(app, 0),
  }),
]);

async function moveTo(app: App, offsetMs: number): Promise<{ now: string }> {
  const control = app.clockControl as ClockControl;
  await control.set(offsetMs);
  return { now: app.clock.now().toISOString() };
}

function durationMs(text: string): number {
  try {
    return parseIsoDuration(text);
  } catch (err) {
    throw invalidField('advance', (err as RangeError).message);
  }
}
