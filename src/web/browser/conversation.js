/* The conversation page: adds new entries while the agent works. Without it the page does not change. */
/* Opened parts, selection, focus and the reader's place are kept. */
let reading = false;
let again = false;
addEventListener('news', (event) => {
  event.preventDefault();
  readAgain();
});

function readAgain() {
  again = reading;
  if (reading) return;
  reading = true;
  const request = new XMLHttpRequest();
  request.open('GET', location.pathname + location.search);
  request.responseType = 'document';
  request.addEventListener('load', () => {
    const fresh = request.status === 200 ? request.response?.getElementById('main') : undefined;
    if (fresh && getSelection().isCollapsed) renewPage(document.getElementById('main'), fresh);
    else again = again || Boolean(fresh);
  });
  request.addEventListener('loadend', () => setTimeout(finishReading, 1000));
  request.send();
}

function finishReading() {
  if (again && !getSelection().isCollapsed) {
    setTimeout(finishReading, 1000);
    return;
  }
  reading = false;
  if (again) readAgain();
}

const getFoldName = (fold) => fold.querySelector('summary').textContent.trim() + (fold.closest('[id]')?.id ?? '');

/* What a closed fold holds has a place on the page too, and one that means nothing. */
const isShown = (one) => Boolean(one) && one.checkVisibility();

/* Changes only nodes that differ, so that images are not loaded again and nothing flickers. */
function mergeChildren(into, fresh) {
  let at = into.firstChild;
  for (const node of [...fresh.childNodes]) {
    const same = node.id ? [...into.children].find(({ id }) => id === node.id) : isAlike(at, node) ? at : undefined;
    if (same === undefined) {
      into.insertBefore(document.importNode(node, true), at);
      continue;
    }
    if (same === at) at = at.nextSibling;
    else into.insertBefore(same, at);
    if (!same.isEqualNode(node)) updateNode(same, node);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

const isAlike = (one, other) => Boolean(one) && one.nodeName === other.nodeName && !one.id;

function updateNode(old, node) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    old.nodeValue = node.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!node.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of node.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  mergeChildren(old, node);
}

function renewPage(main, fresh) {
  const opened = new Set([...main.querySelectorAll('details[open]')].map(getFoldName));
  const focused = main.contains(document.activeElement) ? document.activeElement.closest('[id]')?.id : undefined;
  const height = () => document.documentElement.scrollHeight;
  const atEnd = innerHeight + scrollY >= height() - 40;
  const getTop = (one) => one.getBoundingClientRect().top;
  const places = [...main.querySelectorAll('[id]')]
    .filter((one) => isShown(one) && getTop(one) >= 0)
    .map((one) => [one.id, getTop(one)]);
  /* What somebody reads is not folded away under their eyes. */
  const read = atEnd ? [] : places.filter(([, top]) => top < innerHeight).map(([id]) => `#${CSS.escape(id)}`);
  for (const fold of fresh.querySelectorAll('details'))
    fold.open = opened.has(getFoldName(fold)) || read.some((id) => fold.querySelector(id) !== null);
  mergeChildren(main, fresh);
  dispatchEvent(new Event('renewed'));
  const found = (id) => (id ? document.getElementById(id) : undefined);
  if (focused !== 'main') found(focused)?.focus({ preventScroll: true });
  const [id, top] = places.find(([one]) => isShown(found(one))) ?? [];
  if (atEnd) scrollTo({ top: height(), behavior: 'instant' });
  else if (id) scrollBy({ top: getTop(found(id)) - top, behavior: 'instant' });
}
