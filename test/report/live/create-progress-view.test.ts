import { describe, expect, it } from 'vitest';
import { createProgressView } from '../../../src/report/live/render-live.ts';
import { displayWidth } from '../../../src/report/text/width.ts';
import { RUN } from '../events.ts';

describe('createProgressView', () => {
  it('draws a block again, as wide as the window is now', () => {
    const live = createProgressView({ columns: 60, color: false });
    expect(live.feed(RUN).length).toBeGreaterThan(1);
    expect(live.resize(24).every((line) => displayWidth(line) <= 24)).toBe(true);
  });

  it('colours only when it is told to', () => {
    const colored = createProgressView({ columns: 60, color: true });
    expect(colored.feed(RUN).join('')).toContain('\u001b[1;7;33m SIMULATED \u001b[0m');
  });
});
