/** Between two attempts to reach a mail server that is away: as long as libs/email waits. */
const probeAfterMs = 30_000;

/**
 * All emails wait for one mail server. Once it could not be reached, one email at a time checks whether it is back; the
 * others wait in the database without an attempt. Without this they are claimed, skipped by libs/email and released again, over
 * and over for as long as the server is away, and no reader learns what they wait for (automations-failures.test.ts).
 */
export class MailCircuit {
  #probeAtMs: number | undefined;

  get isOpen(): boolean {
    return this.#probeAtMs !== undefined;
  }

  /** Whether an email may go out while no other is under way. */
  get mayProbe(): boolean {
    return this.#probeAtMs === undefined || performance.now() >= this.#probeAtMs;
  }

  /** The mail server could not be reached. */
  open(): void {
    this.#probeAtMs = performance.now() + probeAfterMs;
  }

  /** The mail server has answered. */
  close(): void {
    this.#probeAtMs = undefined;
  }
}
