import type { Submission } from '@app/email/email-transport';
import type { EndReason } from '../deliveries/end-reasons.rules.ts';
import type { DiagnosisCode } from '../texts/diagnosis-texts.rules.ts';

/** What the end of a submission means for its delivery. */
export interface SubmissionOutcome {
  readonly delivered: boolean;
  /** Why no attempt follows; null when delivered, and while another may follow. */
  readonly reasonCode: EndReason | null;
  /** What is shown of it; null when nothing is wrong. */
  readonly diagnosis: DiagnosisCode | null;
}

/**
 * An email that may have been taken is not sent again: a buyer who gets no receipt writes to the seller, and one who gets two writes
 * whether they paid twice.
 */
export const submissionOutcomes: Readonly<Record<Submission['outcome'], SubmissionOutcome>> = {
  taken: { delivered: true, reasonCode: null, diagnosis: null },
  refused: { delivered: false, reasonCode: 'refused', diagnosis: 'email_refused' },
  deferred: { delivered: false, reasonCode: null, diagnosis: 'email_deferred' },
  unreachable: { delivered: false, reasonCode: null, diagnosis: 'email_unreachable' },
  unknown: { delivered: false, reasonCode: 'unknown', diagnosis: 'email_unknown' },
};
