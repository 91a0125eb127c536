import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets real time pass, for tests in which time is what happens: a lock that is held for longer than a limit, a request that
 * takes long. Whatever is waited for until it is done is waited for with `eventually`.
 */
export async function timePasses(ms: number): Promise<void> {
  await sleep(ms);
}
