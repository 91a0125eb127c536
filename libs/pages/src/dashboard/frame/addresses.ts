/** The page of all that a buyer bought. */
export const buyerPath = (email: string): string => `/app/buyers?email=${encodeURIComponent(email)}`;
