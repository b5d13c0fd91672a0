/** Distances and numbers of words, as promptfoo counts them; a part of asserts-checker.js. */

/** The number of single letters to add, take out or replace. */
function countEdits(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1)));
    row = next;
  }
  return row.at(-1);
}

export const measures = {
  isNear: (said, { value, threshold: most = 5 }, need) => {
    need(typeof value === 'string');
    return countEdits(said, value) <= most;
  },
  /** The value is a number, a text of one, or an object with the least and the most. */
  hasWordCount: (said, { value }, need) => {
    const count = said.split(/\s+/).filter((word) => word !== '').length;
    if (typeof value !== 'object' || value === null) {
      need(/^(?:number|string)$/.test(typeof value) && !Number.isNaN(Number(value)));
      return count === Number(value);
    }
    const { min, max } = value;
    need(!Array.isArray(value) && (min !== undefined || max !== undefined) && !(min > max));
    return !(count < min) && !(count > max);
  },
};
