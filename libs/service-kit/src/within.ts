/**
 * What the work resolves to, or what `late` returns or throws once it has taken longer than that; the work itself goes on.
 * The time of the limit is real time.
 */
export async function within<T, L>(limitMs: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
