/** The frame of the charts by iteration: an iteration has the same position in each of them. */
export const HEIGHT = 290;
export const LEFT = 52;
export const RIGHT = 18;
export const TOP = 34;
export const BOTTOM = 42;
const COLUMN_STEP = 78;
const MIN_WIDTH = 470;

export function chartWidth(iterations: number): number {
  return Math.max(MIN_WIDTH, LEFT + RIGHT + iterations * COLUMN_STEP);
}

/** Returns the x position of the middle of an iteration's column. */
export function columnAt(index: number, iterations: number): number {
  const room = (chartWidth(iterations) - LEFT - RIGHT) / Math.max(1, iterations);
  return roundToTenth(LEFT + room * (index + 0.5));
}

/** Rounds to a tenth of a pixel, which is precise enough. */
export const roundToTenth = (value: number): number => Math.round(value * 10) / 10;
