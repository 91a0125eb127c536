import type { Operation } from '../../api/operation.ts';
import { moneyPreviews } from './money-previews.ts';
import type { PreviewDefinition } from './preview.ts';
import { receiverPreviews } from './receiver-previews.ts';
import { removalPreviews } from './removal-previews.ts';

const previews: Readonly<Record<string, PreviewDefinition>> = {
  ...moneyPreviews,
  ...removalPreviews,
  ...receiverPreviews,
};

/** What shows a seller what a call of the operation would do; undefined for operations that are called without that. */
export const previewOf = ({ id }: Pick<Operation, 'id'>): PreviewDefinition | undefined => previews[id];
