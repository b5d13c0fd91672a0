import { describe, expect, it } from 'vitest';
import { renderTerminalSvg } from '../../tools/terminal-svg.ts';
import { HOSTILE, skeleton } from '../report/hostile.ts';

describe('renderTerminalSvg', () => {
  it('draws coloured, bold and inverse text in its columns', () => {
    const svg = renderTerminalSvg(['ok \u001b[32mgreen\u001b[0m', '\u001b[1;7;33m LOUD \u001b[0m'], 'tandem run');
    expect(svg).toContain(
      '<text x="45.2" y="54.5" fill="#56d364" textLength="42.0" lengthAdjust="spacingAndGlyphs">green</text>',
    );
    expect(svg).toContain('<rect x="20.0" y="60" width="50.4" height="20" fill="#e3b341"/>');
    expect(svg).toContain(
      'fill="#0d1117" font-weight="700" textLength="33.6" lengthAdjust="spacingAndGlyphs">LOUD</text>',
    );
    expect(svg).toContain('<title>tandem run</title>');
  });

  it('shows any other escape as text', () => {
    expect(renderTerminalSvg(['\u001b[2Jx'], 't')).toContain('>␛[2Jx</text>');
  });

  it.each(HOSTILE)('has one element per piece of text, whatever it holds: %j', (text) => {
    const pieces = skeleton(renderTerminalSvg([`a${text}b`], text)).filter(
      (tag) => !tag.startsWith('<text') && tag !== '</text>',
    );
    expect(pieces.filter((tag) => !tag.startsWith('<rect x=""'))).toEqual(
      skeleton(renderTerminalSvg(['a word b'], 'word')).filter((tag) => !tag.startsWith('<text') && tag !== '</text>'),
    );
  });
});
