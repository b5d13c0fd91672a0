/** Progress for one output: a live block that is drawn again on a terminal, plain lines everywhere else. */
import { createPaint } from '../text/terminal-colors.ts';
import type { ProgressEvent } from '../../run/progress-event.ts';
import { EMPTY_VIEW, reduce, type ProgressView } from './progress-view.ts';
import { renderLine } from './render-line.ts';
import { renderLive } from './render-live.ts';

/** `lines` are printed once and stay; `redraw` takes the place of the block that was drawn before. */
export type ProgressOutput = { kind: 'lines' | 'redraw'; lines: string[] };

export type ProgressScreen = {
  feed(event: ProgressEvent): ProgressOutput;
  /** After the window changed its width; plain output has nothing to draw again. */
  resize(columns: number): ProgressOutput;
};

export function createProgressView(options: { columns: number; color: boolean; tty: boolean }): ProgressScreen {
  const paint = createPaint(options.color);
  let columns = options.columns;
  let view: ProgressView = EMPTY_VIEW;
  const drawn = (): ProgressOutput => ({ kind: 'redraw', lines: renderLive(view, columns, paint) });
  return {
    feed(event) {
      view = reduce(view, event);
      if (options.tty) return drawn();
      const line = renderLine(event);
      return { kind: 'lines', lines: line === undefined ? [] : [line] };
    },
    resize(width) {
      columns = width;
      return options.tty ? drawn() : { kind: 'lines', lines: [] };
    },
  };
}
