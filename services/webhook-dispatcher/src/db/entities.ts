import { EndpointSchema } from '../endpoints/endpoint.entity.ts';

/** Endpoints only: plain SQL statements write and read events, deliveries, attempts and notices. */
export const entities = [EndpointSchema];
