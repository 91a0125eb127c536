/** Stands for this deployment's address in a published text. The name is reserved by RFC 2606: no host has it. */
export const placeholderUrl = 'https://base-url.invalid';
