/** An order's number as buyers and sellers read it: the end of its id, which is random. Empty without an id. */
export const orderNumber = (orderId: string): string => orderId.slice(-8);
