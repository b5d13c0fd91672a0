import { describe, expect, it } from 'vitest';
import { renderIterationMarkdown } from '../../../src/report/run/iteration-markdown.ts';
import { HOSTILE, infected } from '../hostile.ts';
import { failing, flaky, results, sample, unscored } from '../makers.ts';
import { refundDesk } from '../refund-desk.ts';

describe('renderIterationMarkdown', () => {
  it('opens with the score, its denominators and its interval', () => {
    const page = renderIterationMarkdown(
      results([sample('a'), failing('b', 3, {}), unscored]),
      undefined,
      '20261120-k3f9',
    );
    expect(page).toContain(
      '**1 of 2 samples passed (50 %, 95 % interval 32–84 %), 1 unscored**, **incomplete**: 1 trial without a verdict, so nothing is said about the target of 85 %.',
    );
    expect(page).toContain('**SIMULATED.**');
    expect(page).toContain('generated code confined by bubblewrap');
    expect(page).toContain('tandem report 20261120-k3f9 --iteration 1');
  });

  it('shows for each failure what was expected, what came, why this layer, and the trace', () => {
    const page = renderIterationMarkdown(
      results([
        failing(
          'late-refund',
          3,
          { checker: 'window', reason: 'refunded on day 31', evidence: ['expected: 0', 'actual: 120'] },
          { why: ['accepts the do-nothing agent'] },
          { deciding: { step: 3, line: 7, quote: 'refund {"amount":120} -> {"ok":true}' } },
        ),
      ]),
    );
    expect(page.slice(page.indexOf('### '), page.indexOf('## By rule'))).toMatchInlineSnapshot(`
      "### Cause: checkers (layer 3), owned by Execute · checker window, 1 sample

      #### \`late-refund\` A case called late-refund

      0 of 1 trial passed · category \`refunds\` · rules R1.

      **Checker \`window\`**: refunded on day 31

      \`\`\`text
      expected: 0
      actual: 120
      \`\`\`

      Why this layer:
      - accepts the do-nothing agent

      Decided at step 3 ([line 7 of its trace](traces/late-refund.1.jsonl#L7)):

      \`\`\`text
      refund {"amount":120} -> {"ok":true}
      \`\`\`

      Trial 1 ended with \`done\`. See [trace of trial 1](traces/late-refund.1.jsonl).

      Again, without a model: \`tandem rerun <run> late-refund --iteration 1\`

      "
    `);
  });

  it('links the trial that failed, marks flaky samples, and lists unscored ones apart', () => {
    const page = renderIterationMarkdown(results([flaky, unscored]));
    expect(page).toContain('1 of 2 trials passed · flaky');
    expect(page).toContain('[trace of trial 2](traces/wavering.2.jsonl)');
    expect(page).toContain('### Unscored: these count in no rate\n\n- `lost`: the infrastructure failed');
    const why = ['the endpoint cannot be reached: nothing listens there'];
    expect(renderIterationMarkdown(results([{ ...unscored, why }]))).toContain(`- \`lost\`: ${why[0]}`);
    const trials = unscored.trials.map((one) => ({ ...one, stop: 'no_move' as const }));
    expect(renderIterationMarkdown(results([sample('a'), { ...unscored, trials }]))).toContain(
      '1 trial without a verdict',
    );
  });

  it('tables the proofs and names what did not hold', () => {
    const verification = {
      ok: false,
      problems: [
        {
          layer: 3 as const,
          code: 'null-passes',
          component: 'window',
          sample: 'a',
          message: 'the do-nothing agent passes',
        },
      ],
      proofs: [{ sample: 'a', gold: true, nothing: false, wrong: true, mutants: true }],
      coverage: { R1: { samples: ['a'], checkers: [] } },
    };
    const page = renderIterationMarkdown(results([sample('a')], { verification }));
    expect(page).toContain('| 3 | `window` | `null-passes` | `a` | the do-nothing agent passes |');
    expect(page).toContain('| `a` | yes | **NO** | yes | yes |');
    expect(page).toContain('| `R1` | `a` | none | **nobody** |');
  });

  it('sorts rules by number', () => {
    const page = renderIterationMarkdown(results([sample('a', { covers: ['R10', 'R2', 'R1'] })]));
    expect([...page.matchAll(/^\| `(R\d+)` \| \d/gm)].map((match) => match[1])).toEqual(['R1', 'R2', 'R10']);
  });

  it.each(HOSTILE)('keeps its headings and tables when every text is %j', (text) => {
    const data = refundDesk().iterations[0]?.results ?? results([]);
    const shape = (page: string) =>
      page
        .replace(/^(`{3,})[a-z]*\n[\s\S]*?\n\1$/gm, 'FENCE')
        .split('\n')
        .flatMap((line) => /^(#+ |\| --- .*|- |FENCE)/.exec(line)?.[1] ?? []);
    const page = renderIterationMarkdown(infected(data, (index) => `${text}${index}`));
    expect(shape(page)).toEqual(shape(renderIterationMarkdown(infected(data, (index) => `word${index}`))));
    expect(page.isWellFormed()).toBe(true);
  });
});
