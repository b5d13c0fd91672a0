import { describe, expect, it } from 'vitest';
import { renderRunHtml } from '../../../src/report/html/run-html.ts';
import { HOSTILE, infected, skeleton } from '../hostile.ts';
import { failing, results, sample } from '../makers.ts';
import { refundDesk } from '../refund-desk.ts';

describe('renderRunHtml', () => {
  const page = renderRunHtml(refundDesk(), '');

  it('is one page that loads nothing and runs nothing', () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;`);
    expect(page).not.toMatch(/<script|<link|<iframe|<img|@import|url\(|\son\w+=|src=/i);
    expect([...page.matchAll(/href="([^"]*)"/g)].map((match) => match[1])).toEqual([
      '../execution_outputs/iteration_3/traces/partial-refund-two-items.1.jsonl',
    ]);
  });

  it('shows verdict, simulation, policies, confinement and every iteration', () => {
    for (const fact of [
      'Target met',
      '93.3\u00A0%',
      'SIMULATED',
      'POLICY, NOT A PERSON',
      'confined by bubblewrap',
      'user:ada',
      '<td data-name="tokens before">18.2k</td><td data-name="after">6.1k</td>',
      'R4 and R9 contradict',
    ])
      expect(page).toContain(fact);
    expect(page.match(/class="dot/g)).toHaveLength(3);
    expect(page.match(/class="bar"/g)).toHaveLength(3);
    expect(page.match(/class="border"/g)).toHaveLength(1);
    expect(page).toContain('Target 85\u00A0%. iteration 1, round 1: 60\u00A0%, interval 32–84\u00A0%;');
  });

  it('does not speak of simulation when the endpoint was real', () => {
    const real = renderRunHtml(refundDesk({ simulated: false, endpoint: 'https://api.anthropic.com' }), '');
    expect(real).not.toContain('SIMULATED');
    expect(real).toContain('Everything: the answers came from the model at the endpoint.');
  });

  it('keeps headings in order and closes every element', () => {
    const levels = [...page.matchAll(/<h(\d)/g)].map((match) => Number(match[1]));
    expect(levels[0]).toBe(1);
    expect(levels.every((level, index) => index === 0 || level - (levels[index - 1] ?? 0) <= 1)).toBe(true);
    const open: string[] = [];
    for (const [, close, name, self] of page.matchAll(/<(\/?)([a-z]\w*)[^>]*?(\/?)>/g)) {
      if (self === '/' || ['meta', 'br', 'line', 'rect'].includes(name ?? '')) continue;
      if (close === '/') expect(open.pop()).toBe(name);
      else open.push(name ?? '');
    }
    expect(open).toEqual([]);
  });

  it('counts for each rule whether the rule itself broke', () => {
    const coverage = { R1: { samples: ['x'], checkers: ['one'] }, R2: { samples: ['x'], checkers: ['two'] } };
    const verification = { ok: true, problems: [], proofs: [], coverage };
    const broken = results(
      [
        failing('x', 4, { checker: 'two' }, { covers: ['R1', 'R2'] }),
        sample('y', { covers: ['R1'], outcome: 'unscored' }),
      ],
      { verification },
    );
    const [last] = refundDesk().iterations.slice(-1);
    const html = renderRunHtml(
      refundDesk({ iterations: last === undefined ? [] : [{ ...last, results: broken }] }),
      '',
    );
    const cells = (rule: string) =>
      [...(html.split(`<code>${rule}</code>`)[1] ?? '').matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => cell);
    expect(cells('R1').slice(0, 2)).toEqual(['0 of 1', '0']);
    expect(cells('R2').slice(0, 2)).toEqual(['0 of 1', '1']);
  });

  it('stays a page of bearable size with a thousand failing samples', () => {
    const many = Array.from({ length: 1000 }, (_, index) =>
      failing(`s-${index}`, 3, { evidence: ['x'.repeat(50_000)] }),
    );
    const [last] = refundDesk().iterations.slice(-1);
    const html = renderRunHtml(
      refundDesk({ iterations: last === undefined ? [] : [{ ...last, results: results(many) }] }),
      '',
    );
    expect(html.length).toBeLessThan(2_000_000);
    expect(html).toContain('850 more stand in');
  });

  it.each(HOSTILE)('has the same tags and attributes when every text is %j', (text) => {
    const page = renderRunHtml(
      infected(refundDesk(), (index) => `${text}${index}`),
      '',
    );
    const tags = (markup: string) =>
      skeleton(markup).filter((tag) => !tag.startsWith('<a ') && tag !== '</a>' && !/^<\/?code>$/.test(tag));
    expect(tags(page)).toEqual(
      tags(
        renderRunHtml(
          infected(refundDesk(), (index) => `word${index}`),
          '',
        ),
      ),
    );
    expect(page).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
    expect(page).not.toMatch(/href="(?!\.\.\/)/);
    expect(page.isWellFormed()).toBe(true);
  });
});
