import { EndpointSchema } from '../endpoints/endpoint.entity.ts';

/** What people edit. Events, deliveries, attempts and notices flow: plain statements write and read them. */
export const entities = [EndpointSchema];
