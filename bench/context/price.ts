/** The prices of all rows: those of claude-opus-4-5, whose ratios (1.25, 0.1, 5) are those of the published cost model. */
import type { Usage } from '../../src/transcript/message.ts';

const INPUT = 5 / 1_000_000;

export function dollars(usage: Usage): number {
  return (
    INPUT *
    (usage.input_tokens +
      1.25 * usage.cache_creation_input_tokens +
      0.1 * usage.cache_read_input_tokens +
      5 * usage.output_tokens)
  );
}
