import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  markdownCode,
  markdownFence,
  markdownLink,
  markdownText,
  tableMarkdown,
  relativeHref,
} from '../../../src/report/text/markdown.ts';
import { shellQuote } from '../../../src/report/text/sanitise.ts';
import { HOSTILE, hostileText } from '../hostile.ts';

/** Every character that opens something in Markdown stands behind an odd number of backslashes. */
const bare = /(?<!\\)(?:\\\\)*[`*[\]|~$]/;

describe('markdownText', () => {
  it.each(HOSTILE)('keeps %j as text', (text) => {
    const safe = markdownText(text);
    expect(safe).not.toMatch(bare);
    expect(safe).not.toMatch(/[<>\n\r]/);
    expect(safe.replace(/&(amp|lt|gt);/g, '')).not.toContain('&');
    expect(safe).not.toMatch(/^\s*([#>+=-]|\d+[.)])/);
    expect(safe).not.toMatch(/:\/\/|www\.|@\w|#\d/i);
    expect(safe.isWellFormed()).toBe(true);
  });

  it('holds for any text', () => {
    fc.assert(
      fc.property(hostileText, (text) => !bare.test(markdownText(text)) && !/[<>\n\r]/.test(markdownText(text))),
    );
  });

  it('leaves ordinary words readable, tool names among them', () => {
    expect(markdownText('lookup_order answered 3 times (12.50), R4: fine!')).toBe(
      'lookup_order answered 3 times (12.50), R4: fine!',
    );
    expect(markdownText('_private_ and a_b')).toBe(String.raw`\_private\_ and a_b`);
  });
});

describe('markdownCode and markdownFence', () => {
  it.each(HOSTILE)('cannot be closed from inside by %j', (text) => {
    const fenced = markdownFence(text, 'text');
    const fence = /^`{3,}/.exec(fenced)?.[0] ?? '';
    const inside = fenced.slice(fence.length + 'text\n'.length, -fence.length - 1);
    expect(fenced.endsWith(`\n${fence}`)).toBe(true);
    expect(inside).not.toContain(fence);
    expect(markdownCode(text)).not.toMatch(/[\n\r]/);
  });

  it('takes a longer fence than any run inside, and padding at the edges', () => {
    expect(markdownCode('a`b')).toBe('``a`b``');
    expect(markdownCode('`x`')).toBe('`` `x` ``');
    expect(markdownCode('')).toBe('` `');
    expect(markdownCode('a|b')).toBe(String.raw`a\|b`);
    expect(markdownFence('```\nx')).toBe('````\n```\nx\n````');
  });
});

describe('relativeHref', () => {
  it.each([
    'javascript:alert(1)',
    'https://evil.example/x',
    '//evil.example',
    '/etc/passwd',
    'traces/../../../etc/passwd',
    String.raw`..\..\secret`,
    'a//b',
    '',
    'data:text/html,x',
  ])('refuses %j', (path) => {
    expect(relativeHref(path)).toBeUndefined();
  });

  it('encodes what could end a link or an attribute', () => {
    expect(relativeHref('../execution_outputs/iteration_1/traces/a b.1.jsonl')).toBe(
      '../execution_outputs/iteration_1/traces/a%20b.1.jsonl',
    );
    expect(relativeHref(`x)"'<y>.md`)).toBe('x%29%22%27%3Cy%3E.md');
    expect(markdownLink('a]b', 'x y')).toBe(String.raw`[a\]b](x%20y)`);
    expect(markdownLink('label', '/etc/passwd')).toBe('label `/etc/passwd`');
  });

  it('never leaves characters that have a meaning in Markdown or HTML', () => {
    fc.assert(fc.property(hostileText, (text) => /^[\w./%~-]*$/.test(relativeHref(text) ?? '')));
  });
});

describe('shellWord', () => {
  it('quotes what a shell would act on', () => {
    expect(shellQuote('20261120-k3f9')).toBe('20261120-k3f9');
    expect(shellQuote("a'; rm -rf /\n#")).toBe(String.raw`'a'\''; rm -rf /#'`);
  });
});

it('the cells of a table of a report are text, whoever wrote them', () => {
  const rows = [
    [{ code: 'a|b' }, { text: 'a | *b*' }, { link: 'c|d', path: '../e' }, { pill: 'no', tone: 'warn' } as const],
  ];
  const [, , row] = tableMarkdown({ label: 'x', head: ['1', '2', '3', '4'], rows }).split('\n');
  expect(row).toBe(String.raw`| a\|b | a \| \*b\* | [c\|d](../e) | **no** |`);
});
