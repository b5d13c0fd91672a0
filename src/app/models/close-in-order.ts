/** Closes what was opened together. */

/** Runs all in order, even when an earlier one fails; rejects with the last failure. */
export async function closeInOrder([first, ...rest]: readonly (() => Promise<void>)[]): Promise<void> {
  try {
    await first?.();
  } finally {
    if (rest.length > 0) await closeInOrder(rest);
  }
}
