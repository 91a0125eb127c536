/** SQL: when its buyer touched checkout `c` last: opened it, changed it, or tried to pay. A sweep's check is no touch. */
export const lastActive = 'greatest(c.created_at, c.active_at)';
