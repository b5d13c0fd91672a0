/** Milliseconds that only grow, equal in all threads of the process: a change of the system clock ends no question. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
