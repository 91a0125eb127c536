/** An order's number as buyers and sellers read it: the end of its id, which is random. Empty without an id. */
export const orderNumber = (orderId: string): string => orderId.slice(-8);

/** Whether it has the form of a number; names may have it too. */
export const isOrderNumber = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{8}$/.test(text);
