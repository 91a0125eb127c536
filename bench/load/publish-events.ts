import { once } from 'node:events';
import { startPart } from '../child-processes.ts';

export interface PublishPlan {
  readonly natsUrl: string;
  /** Of checkout's user. */
  readonly natsPassword: string;
  /** They take turns. */
  readonly accountIds: readonly string[];
  readonly count: number;
  /** Null: as fast as the stream takes them. */
  readonly perSecond: number | null;
}

export interface Published {
  /** Id, account and when it was sent to the stream, in milliseconds since the epoch; empty when there was no rate. */
  readonly events: (readonly [id: string, accountId: string, sentMs: number])[];
}

/** Returns when the stream has all of them. */
export async function publishEvents(plan: PublishPlan): Promise<Published> {
  const { child, stop } = await startPart(new URL('./event-publisher.ts', import.meta.url), process.env);
  const finished = once(child, 'message');
  child.send(plan);
  const [published] = (await finished) as [Published];
  await stop();
  return published;
}
