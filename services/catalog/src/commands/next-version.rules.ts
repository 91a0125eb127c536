/** The version after an update; one that names no field changes nothing. */
export const nextVersion = (version: number, body: object): number => version + Number(Object.keys(body).length > 0);
