/** The frame of the charts by iteration: the same iteration has the same place in each of them. */
export const HEIGHT = 290;
export const LEFT = 52;
export const RIGHT = 18;
export const TOP = 34;
export const BOTTOM = 42;
const STEP = 78;
const LEAST = 470;

export function chartWidth(iterations: number): number {
  return Math.max(LEAST, LEFT + RIGHT + iterations * STEP);
}

/** The middle of an iteration's column. */
export function columnAt(index: number, iterations: number): number {
  const room = (chartWidth(iterations) - LEFT - RIGHT) / Math.max(1, iterations);
  return round(LEFT + room * (index + 0.5));
}

/** A tenth of a pixel is enough. */
export const round = (value: number): number => Math.round(value * 10) / 10;
