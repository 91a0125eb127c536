import type { Client, Database } from '@app/service-kit/database';
import { answersRecorded } from '../points/points.ts';
import type { Answer, AnswerWriter } from './answer-store.ts';

/**
 * Writes each answer in a transaction of its own: of payments that are few, and with which more ends or changes than their own rows.
 * @param write false where the payment had ended before
 */
export function createSingleAnswerWriter(
  database: Database,
  write: (client: Client, answer: Answer) => Promise<boolean>,
): AnswerWriter {
  const writing = new Set<Promise<unknown>>();
  return {
    add: async (answer) => {
      const written = database.transaction((client) => write(client, answer));
      writing.add(written);
      try {
        const isWritten = await written;
        answersRecorded.announce(() => ({ paymentIds: [answer.payment.id] }));
        return isWritten;
      } finally {
        writing.delete(written);
      }
    },
    close: async () => void (await Promise.allSettled(writing)),
  };
}
