import { type Announcement, announcements, type Point } from '@app/service-kit/points';
import { createArrivals } from './arrivals.ts';

/** What this process announced, and the processes that it started, since the test file began. */
const arrivals = createArrivals<Announcement>();
announcements.subscribe((message) => arrivals.push(message as Announcement));

export interface Listener {
  /**
   * Resolves with the details of the first `times` announcements of the point that match.
   * @throws when it was not announced so often within 45 s
   */
  announced<Detail extends object>(
    point: Point<Detail>,
    matches?: (detail: Detail) => boolean,
    times?: number,
  ): Promise<Detail[]>;
  /** The details announced so far. */
  sofar<Detail extends object>(point: Point<Detail>): Detail[];
}

function listenFrom(position: () => number): Listener {
  return {
    announced: async (point, matches = () => true, times = 1) => {
      const detailOf = ({ detail }: Announcement) => detail as Parameters<typeof matches>[0];
      const isAkin = (one: Announcement): boolean => one.point === point.name;
      const found = await arrivals.wait(times, {
        matches: (one) => isAkin(one) && matches(detailOf(one)),
        isAkin,
        from: position(),
        what: `announcements of ${point.name}`,
      });
      return found.map(detailOf);
    },
    sofar: <Detail extends object>(point: Point<Detail>) =>
      arrivals.list.slice(position()).flatMap((one) => (one.point === point.name ? [one.detail as Detail] : [])),
  };
}

/** Counts from the beginning of the test file: for what a test names by an id of its own. */
export const { announced, sofar } = listenFrom(() => 0);

/** Counts from now on: for what has happened before and is to happen again. */
export function listen(): Listener {
  const position = arrivals.list.length;
  return listenFrom(() => position);
}

/** At the end of a test file: the next one of this process begins with none. */
export function forgetAnnouncements(): void {
  arrivals.clear();
}
