/** Keys and pastes as terminals send them, in whole and in pieces. */
import { expect, test } from 'vitest';
import { createPasteBuffer } from '../../../src/cli/typing/pastes.ts';

const marked = (text: string) => `\u001B[200~${text}\u001B[201~`;

/** What the editor gets of these chunks, and the message that Enter would send. */
function typed(...chunks: string[]): { shown: string; message: unknown } {
  const pastes = createPasteBuffer();
  const shown = chunks.map((chunk) => pastes.feed(chunk)).join('');
  return { shown, message: pastes.whole(shown.replace(/\r$/, '')) };
}

test('keys pass as they are, Enter and escape sequences among them', () => {
  for (const keys of ['a', '\r', 'yes\r', '\u001B[A', '\u001B', '\u0003', '中文'])
    expect(typed(keys).shown, JSON.stringify(keys)).toBe(keys);
});

test('a paste of many lines is one message, however the terminal breaks lines and cuts the chunks', () => {
  for (const text of ['R4: 30 days\nR5: no fee', 'R4: 30 days\r\nR5: no fee\r\n', 'R4: 30 days\rR5: no fee\r']) {
    const whole = marked(text);
    for (let cut = 2; cut < whole.length; cut += 1) {
      const { shown, message } = typed(whole.slice(0, cut), whole.slice(cut));
      expect(shown).not.toMatch(/[\r\n\u001B]/);
      expect(message, `cut at ${cut}`).toEqual({ text: 'R4: 30 days\nR5: no fee' });
    }
  }
});

test('a terminal that does not mark pastes cannot send a line of one either', () => {
  expect(typed('approve\rreject\r')).toEqual({ shown: 'approve␤reject', message: { text: 'approve\nreject' } });
  expect(typed(`${'long '.repeat(100)}\r`).shown).not.toContain('\r');
});

test('a long paste stands as its size, and a part of that is refused', () => {
  const text = Array.from({ length: 45 }, (_, line) => `line ${line} of what was pasted`).join('\n');
  const pastes = createPasteBuffer();
  const shown = pastes.feed(marked(text));
  expect(shown).toBe('[paste 1: 45 lines]');
  expect(pastes.whole(`see ${shown}, please`)).toEqual({ text: `see ${text}, please` });
  expect(pastes.whole(shown.slice(0, -1))).toEqual({ fault: expect.stringContaining('was cut') });
  expect(pastes.whole('something else')).toEqual({ text: 'something else' });
});

test('nothing that is pasted acts as a key, and Alt-Enter is a line break', () => {
  expect(typed(marked('a\u0003\u001B[Ab\n\u0004c'))).toEqual({ shown: 'a[Ab␤c', message: { text: 'a[Ab\nc' } });
  expect(typed('a\u001B\rb', '\r')).toEqual({ shown: 'a␤b\r', message: { text: 'a\nb' } });
});
