import type { ApiOperation } from './api-description.ts';

export const referencePath = '/developers/reference';
export const eventsPath = `${referencePath}/events`;

/** Of the page with the operations of a part of the API: `Daily job` is at `/developers/reference/daily-job`. */
export const partPath = (tag: string): string => `${referencePath}/${tag.toLowerCase().replaceAll(' ', '-')}`;

/** Where an operation is described. */
export const operationPath = ({ operationId, tags: [tag = ''] }: ApiOperation): string =>
  `${partPath(tag)}#${operationId}`;

/** The anchor of an event: ids have no dots. */
export const eventId = (name: string): string => name.replaceAll('.', '-');

/** Where an event is described. */
export const eventPath = (name: string): string => `${eventsPath}#${eventId(name)}`;
