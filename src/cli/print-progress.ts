/** Progress on standard error, at the doors that have no screen of their own. */
import type { Progress } from '../ports/progress.ts';
import { renderLine } from '../report/live/render-line.ts';
import type { Io } from './command-context.ts';

export function printProgress(io: Io): Progress {
  return (event) => {
    const line = renderLine(event);
    if (line !== undefined) io.err(line);
  };
}
