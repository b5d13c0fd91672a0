/** What a reviewer reads before the first decision that can be taken knowingly, counted in the page. */

/**
 * What is read from the top of the page to the last change or rule that is not folded, quotes and buttons included; where no
 * row is shown, to the end of what changed.
 */
export const WORDS = `(() => {
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true });
  const last = [...document.querySelectorAll('main article[data-row]')].filter(isShown).at(-1);
  const end = last ?? document.querySelector('section:has(> .head > #changes-title), section:has(> #rules-title)');
  const isPast = (node) => end && !end.contains(node) && (end.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const words = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!isPast(node) && isShown(node.parentElement) && !node.parentElement.closest('[aria-hidden], a.say, .sr')) words.push(...node.textContent.split(/\\s+/).filter(Boolean));
  }
  return words.length;
})()`;

/** Words that stand on the screen before anybody scrolls. */
export const WORDS_ABOVE_FOLD = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let words = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent.checkVisibility({ visibilityProperty: true }) || parent.closest('script, style, option, .sr, .skip')) continue;
    for (const { index, 0: word } of node.textContent.matchAll(/\\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const { width, top, bottom } = range.getBoundingClientRect();
      if (width > 0 && bottom > 0 && top < innerHeight) words += 1;
    }
  }
  return words;
})()`;
