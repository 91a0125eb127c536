import type { funnelEmailResource } from '@app/contracts/funnels';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { z } from 'zod';
import { partKey } from '../products/part-key.ts';

export const FunnelEmail = defineEntity({
  name: 'FunnelEmail',
  tableName: 'funnel_emails',
  properties: {
    ...partKey(),
    position: p.integer(),
    sendDay: p.integer(),
    subject: p.string(),
    body: p.text(),
    version: p.integer(),
  },
});
export type FunnelEmail = InferEntity<typeof FunnelEmail>;

export function funnelEmailResourceOf(email: FunnelEmail): z.infer<typeof funnelEmailResource> {
  const { id, position, sendDay, subject, body, version } = email;
  return { id, position, send_day: sendDay, subject, body, version };
}
