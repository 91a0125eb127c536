/** What it takes to send a request over NATS and to serve one; not every version has all of the files. */
export const requestMachinery = [
  ...['requester', 'reply-inbox', 'peers', 'running-requests', 'serve-requests', 'stall-watch'],
  ...['request-headers', 'event-loop-tick'],
].map((name) => `libs/messaging/src/${name}.ts`);
