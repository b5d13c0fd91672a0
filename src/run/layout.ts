/** Where the results of steps are stored in a run folder: paths relative to the folder. */
import type { RunState } from './state.ts';

export const designDir = (round: number): string => `design/r${round}`;
/** The current folder of a round's design: another one once a reviewer has edited it. */
export const currentDesignDir = ({ designs }: Pick<RunState, 'designs'>, round: number): string =>
  designs.find((design) => design.round === round)?.editedDir ?? designDir(round);
export const outputDir = (iteration: number): string => `execution_outputs/iteration_${iteration}`;
/** In an iteration's folder: the strength of its proof in full, for the next one to be compared with. */
export const STRENGTH_FILE = 'proof-strength.json';

/** `handoffs/001-init-to-execute.md`: Init has the odd numbers, Execute the even ones. */
export function handoffPath(from: 'init' | 'execute', round: number): string {
  const number = from === 'init' ? round * 2 - 1 : round * 2;
  const to = from === 'init' ? 'execute' : 'init';
  return `handoffs/${String(number).padStart(3, '0')}-${from}-to-${to}.md`;
}
