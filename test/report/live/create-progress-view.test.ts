import { describe, expect, it } from 'vitest';
import { createProgressView } from '../../../src/report/live/render-live.ts';
import { displayWidth } from '../../../src/report/text/width.ts';
import { RUN, step } from '../events.ts';

describe('createProgressView', () => {
  it('draws a block again on a terminal and prints lines elsewhere', () => {
    const live = createProgressView({ columns: 60, color: false, tty: true });
    expect(live.feed(RUN).kind).toBe('redraw');
    expect(live.resize(24).lines.every((line) => displayWidth(line) <= 24)).toBe(true);
    const plain = createProgressView({ columns: 60, color: false, tty: false });
    expect(plain.feed(RUN).lines).toHaveLength(1);
    expect(plain.feed(step('init'))).toEqual({ kind: 'lines', lines: [] });
    expect(plain.resize(10).lines).toEqual([]);
  });

  it('colours only when it is told to', () => {
    const colored = createProgressView({ columns: 60, color: true, tty: true });
    expect(colored.feed(RUN).lines.join('')).toContain('\u001b[1;7;33m SIMULATED \u001b[0m');
  });
});
