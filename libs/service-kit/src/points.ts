import { channel } from 'node:diagnostics_channel';

/** Carries every announcement of this process, so that one listener can follow them all or pass them on. */
export const announcements = channel('funnelry:announcements');

export interface Announcement {
  /** The point's name. */
  readonly point: string;
  /** Plain data: it may be passed on to another process as JSON. */
  readonly detail: object;
}

/**
 * A named point of the running code. The code announces it after what it names is done and can be seen by others:
 * committed, sent, closed. Tests wait for points, never on time. Without a listener an announcement is one comparison:
 * `detail` is not called.
 */
export interface Point<Detail extends object> {
  readonly name: string;
  announce(detail: () => Detail): void;
}

/** @param name unique in the platform: the package or service, and what happened, as in `messaging.events-handled` */
export function definePoint<Detail extends object>(name: string): Point<Detail> {
  return {
    name,
    announce: (detail) => {
      if (!announcements.hasSubscribers) return;
      announcements.publish({ point: name, detail: detail() } satisfies Announcement);
    },
  };
}
