/* The live news of a run or a batch. */
/* News: the run has advanced while this page was open. */
const live = document.body.dataset.live;
let state = {};
function updateNews() {
  for (const place of document.querySelectorAll('[data-news]')) {
    const text = state[place.dataset.news];
    if (text !== undefined) place.textContent = String(text).replaceAll('_', ' ');
  }
  if (state.work) for (const idle of document.querySelectorAll('.next-step.idle')) idle.hidden = true;
}
function handleNews(event) {
  state = JSON.parse(event.data);
  updateNews();
  if (!dispatchEvent(new CustomEvent('news', { cancelable: true }))) return;
  const mark = document.body.dataset.length ?? (document.body.dataset.length = String(state.length));
  /* The reader's own question is an event of the run too, but no news. */
  if (document.body.dataset.asking) document.body.dataset.length = String(state.length);
  const moved = mark !== String(state.length) && !document.body.dataset.asking;
  if (form && (state.gate !== form.dataset.gate || state.digest !== form.dataset.digest)) showStaleGate(state);
  else if (moved && !form) offerReload('Something happened since this page was made.');
}

/* News of a batch updates cells; new gates are only offered, so that the page does not change under the reader. */
function handleBatchNews(event) {
  const { rows: changed, waiting, ...told } = JSON.parse(event.data);
  for (const [name, text] of Object.entries(told))
    for (const place of document.querySelectorAll('[data-news="' + name + '"]')) place.textContent = text;
  for (const { run, tone, cells } of changed) {
    const line = document.querySelector('[data-run="' + CSS.escape(run) + '"]');
    for (const [name, text] of Object.entries(line ? cells : {})) {
      const cell = line.querySelector('[data-cell="' + name + '"]');
      if (cell && cell.textContent !== text) cell.textContent = text;
      if (cell && name === 'status') cell.className = 'pill ' + tone;
    }
  }
  if ($('runs') && $('runs').dataset.waiting !== waiting)
    offerReload('Other gates wait now than when this page was made.');
}

function showStaleGate(state) {
  for (const button of form.querySelectorAll('button[name=decision]')) button.disabled = true;
  const changed = state.gate === form.dataset.gate;
  showMessage('');
  offerReload(
    changed
      ? 'The design changed while you were reading. Nothing was sent; what you wrote is still here.'
      : 'This gate was answered elsewhere. Nothing was sent; what you wrote is still here.',
  );
}

function offerReload(text) {
  if ($('news')) return;
  const box = document.createElement('div');
  box.id = 'news';
  box.className = 'alert warn';
  box.setAttribute('role', 'alert');
  const line = document.createElement('p');
  const link = document.createElement('a');
  link.href = location.pathname + location.search;
  link.textContent = 'Show its state now';
  line.append(text + ' ', link);
  box.append(line);
  $('main').prepend(box);
  box.scrollIntoView({ block: 'nearest' });
}

function markLive(isLive) {
  for (const dot of document.querySelectorAll('.live')) dot.classList.toggle('off', !isLive);
}

function listenTo(live) {
  const source = new EventSource(live);
  source.addEventListener('state', handleNews);
  source.addEventListener('batch', handleBatchNews);
  source.addEventListener('error', () => {
    markLive(false);
    /* The server refused the stream, rather than losing it: there may be room later. */
    if (source.readyState === EventSource.CLOSED)
      setTimeout(() => {
        if (stream === source) {
          stream = undefined;
          updateStream();
        }
      }, 30_000);
  });
  source.addEventListener('open', () => markLive(true));
  return source;
}

/* A browser has six connections to a host for all tabs, so a hidden tab closes its stream to let the others load and send. */
let stream;
function updateStream() {
  if (document.visibilityState === 'hidden') {
    stream?.close();
    stream = undefined;
  } else stream ??= listenTo(live);
}
if (live) {
  updateStream();
  document.addEventListener('visibilitychange', updateStream);
}
