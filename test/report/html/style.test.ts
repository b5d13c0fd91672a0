import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** As browsers read it: without what makes it readable for people. */
const STYLE = readFileSync('src/report/html/report.css', 'utf8')
  .replaceAll(/\s*\n\s*/g, '')
  .replaceAll(/([:;,{]) | (?=\{)/g, '$1')
  .replaceAll(';}', '}');

describe('the style sheet', () => {
  const themes = [...STYLE.matchAll(/:root\{([^}]*)\}/g)]
    .slice(0, 2)
    .map(
      (match) =>
        new Map(
          [...(match[1] ?? '').matchAll(/--([\w-]+):(#\w+)/g)].map(([, name, value]) => [name ?? '', value ?? '']),
        ),
    );
  const PAIRS = [
    ['ink', 'page'],
    ['ink', 'card'],
    ['soft', 'page'],
    ['soft', 'card'],
    ['accent', 'card'],
    ['good', 'card'],
    ['good', 'good-bg'],
    ['bad', 'bad-bg'],
    ['warn', 'warn-bg'],
    ['plain', 'plain-bg'],
    ['ink', 'good-bg'],
    ['ink', 'bad-bg'],
    ['ink', 'warn-bg'],
    ['ink', 'plain-bg'],
    ['card', 'warn'],
    ['on', 'l1'],
    ['on', 'l2'],
    ['on', 'l3'],
    ['on', 'l4'],
    ['soft', 'band'],
  ] as const;

  it('shows at the edge of a table that more of it is beside, and not on paper', () => {
    expect(STYLE).toMatch(/\.scroll\{overflow-x:auto[^}]*transparent\) 0\/2\.2rem local/);
    expect(STYLE).toMatch(/@media print\{.*\.scroll\{overflow:visible;background:none\}/);
  });

  it.each(['light', 'dark'] as const)('has AA contrast in %s', (name) => {
    const theme = themes[name === 'light' ? 0 : 1] ?? new Map<string, string>();
    const weak = PAIRS.filter(([front, back]) => contrast(theme.get(front) ?? '', theme.get(back) ?? '') < 4.5);
    expect(weak).toEqual([]);
  });
});

function contrast(one: string, two: string): number {
  const luminance = (color: string) => {
    const hex = color.slice(1).replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3');
    const channels = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
    const [red = 0, green = 0, blue = 0] = channels.map((value) =>
      value <= 0.039_28 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(two)].toSorted((first, second) => first - second);
  return (light + 0.05) / (dark + 0.05);
}
