/** A page as a file: relative links, no script, no form, nothing of a server; what has no file becomes plain text. */
import { expect, test } from 'vitest';
import { html, getMarkup } from '../../src/report/html/html.ts';
import { staticAddress, staticPage } from '../../src/web/static-page.ts';

test.each([
  ['/runs/a', '/runs/a'],
  ['/runs/a/results', '/runs/a/results'],
  ['/runs/a/results?rule=R1&page=2', '/runs/a/results?rule=R1&page=2'],
  ['/runs/a/results?rule=R1&layer=2', undefined],
  ['/runs/a/results?find=x', undefined],
  ['/runs/a/iterations/1/samples/s?show=failing', '/runs/a/iterations/1/samples/s'],
  ['/runs/a/iterations/1/samples/s/trials/1', '/runs/a/iterations/1/samples/s/trials/1'],
  ['/runs/a/iterations/1/samples/s/trials/1?raw=3', undefined],
  ['/runs/a/iterations/1/samples/s/trials/1/calls/3', '/runs/a/iterations/1/samples/s/trials/1/calls/3'],
  ['/runs/a/iterations/1/samples/s/trials/1/calls/3/answer', '/runs/a/iterations/1/samples/s/trials/1/calls/3/answer'],
  ['/runs/a/iterations/1/samples/s/words', undefined],
  ['/runs/a/iterations/1/labels/tone/s.1', undefined],
  ['/runs/a/iterations/1/files/tools/x.mjs', '/runs/a/iterations/1/files/tools/x.mjs'],
  ['/runs/a/transcripts/init?lane=sub', '/runs/a/transcripts/init?lane=sub'],
  ['/runs/a/gates/HITL-1.r1', undefined],
  ['/runs/ab', undefined],
  ['/batches/x', undefined],
  ['/', undefined],
])('%s is %s', (address, known) => {
  expect(staticAddress('/runs/a', address)).toBe(known);
});

test('links become files or text, and text that looks like a tag stays text', () => {
  const hostile = '<a href="/runs/a"><form><script>x</script></form>';
  const page = html`<meta charset="utf-8" /><link rel="stylesheet" href="/assets/x.css" nonce="n" />
    <script type="module" src="/assets/x.js" nonce="n"></script>
    <body data-live="/runs/a/live">
      <nav class="site"><a href="/">Waiting</a></nav>
      <a class="x" href="/runs/a?b=1&amp;c=2#L3" title="${hostile}">one</a><a href="/batches">two</a
      ><a href="#L4">three</a> <img src="/runs/a/i" />
      <form method="post"><button>go</button></form>
      <p>${hostile}</p>
      <dialog id="keys"><form method="dialog"></form></dialog>
    </body>`;
  const asked: string[] = [];
  const text = staticPage(getMarkup(page), (address) => {
    asked.push(address);
    return address.startsWith('/runs/a') ? `f${asked.length}.html` : undefined;
  });
  expect(asked).toEqual(['/runs/a?b=1&c=2', '/batches', '/runs/a/i']);
  expect(text).toContain('href="f1.html#L3"');
  expect(text).toMatch(/<a>two<\/a\s*><a href="#L4">three<\/a>/);
  expect(text).toContain('src="f3.html"');
  expect(text).toContain('&lt;a href=&quot;/runs/a&quot;&gt;&lt;form&gt;');
  expect(text).not.toMatch(/<script|<form|<nav|<dialog|nonce|data-live|\/assets/);
  expect(text).toContain('href="style.css"');
});
