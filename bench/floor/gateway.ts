/**
 * The floor's front: Fastify, zod, one NATS request per HTTP request. Started by start-floor.ts; NATS_URL.
 */
// biome-ignore lint/style/noRestrictedImports: the floor is the path without our libraries.
import { connect } from '@nats-io/transport-node';
import Fastify, { type FastifyReply } from 'fastify';
import { orderBody, subjects } from './requests.ts';

const { NATS_URL = '', NATS_USER = '', NATS_PASSWORD = '' } = process.env;
const nats = await connect({ servers: NATS_URL, user: NATS_USER, pass: NATS_PASSWORD });
const app = Fastify();

async function forward(reply: FastifyReply, subject: string, payload: string): Promise<FastifyReply> {
  const answer = await nats.request(subject, payload, { timeout: 10_000 });
  if (answer.headers?.has('error')) return reply.code(500).send({ error: answer.headers.get('error') });
  return reply.type('application/json; charset=utf-8').send(answer.string());
}

app.post('/orders', async (request, reply) => {
  const body = orderBody.safeParse(request.body);
  if (!body.success) return reply.code(422).send({ error: body.error.issues });
  return forward(reply, subjects.placeOrder, JSON.stringify(body.data));
});
app.get('/orders', (_request, reply) => forward(reply, subjects.listOrders, ''));
app.get('/products', (_request, reply) => forward(reply, subjects.listProducts, ''));

const address = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
process.on('disconnect', () => process.exit());
process.send?.({ baseUrl: address.origin });
