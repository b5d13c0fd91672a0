import { describe, expect, it } from 'vitest';
import { renderDiffTerminal } from '../../../src/report/gate/diff-terminal.ts';
import { reviewPack } from '../review-pack.ts';

describe('renderDiffTerminal', () => {
  it('colours added and removed lines and cuts nothing away', () => {
    const diff = `--- a\n+++ b\n@@ -1 +1 @@\n-old\n+${'long '.repeat(8)}\r\n same\n`;
    const pack = reviewPack({ since: { round: 1, rules: [], format: [], diff } });
    const lines = renderDiffTerminal(pack, { columns: 20, color: true });
    expect(lines[3]).toBe('\u001b[31m-old\u001b[0m');
    expect(renderDiffTerminal(pack, { columns: 20, color: false }).join('')).toBe(
      `--- a+++ b@@ -1 +1 @@-old+${'long '.repeat(8)}␍ same`,
    );
  });

  it('names the folder of the design when there is nothing to compare', () => {
    expect(
      renderDiffTerminal(reviewPack({ since: { round: null, rules: [], format: [], diff: '' } }), {
        columns: 80,
        color: false,
      }),
    ).toEqual(['No difference to show; the design is in design/r2.']);
  });
});
