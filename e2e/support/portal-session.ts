import { openPortalSession } from '@app/testing/portal-session';
import type { SharedPlatform } from './shared-platform.ts';

/** A session of `openPortalSession` at a platform. */
export const portalSession = (
  platform: SharedPlatform,
  accountId: string,
  of: Parameters<typeof openPortalSession>[2],
): Promise<string> => openPortalSession(platform.databaseUrl('gateway'), accountId, of);
