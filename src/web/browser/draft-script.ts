/** The part of the browser's module that saves text while somebody types it; without it comments are saved by their own form. */

export const DRAFT_SCRIPT = `
/* Drafts of the answer, or of an edit. */
const writing = form ?? $('edit-form');
const unkept = new Set();
let keeping = false;
let keepTimer;
const isDraftField = (name) => /^(?:comment|on\\..+|q\\d+(?:\\.more)?|file\\..+)$/.test(name ?? '');
const draftTold = (text, loud) => { const at = $('draft-told'); if (!at) return; at.textContent = text; at.className = loud ? 'small loud-text' : 'small soft'; };
const keepSoon = (ms) => { keepTimer ??= setTimeout(() => { keepTimer = undefined; void keep(false); }, ms); };

async function keep(leaving) {
  if (sent || unkept.size === 0 || (keeping && !leaving)) return;
  const names = [...unkept];
  unkept.clear();
  const now = new FormData(writing);
  const body = new URLSearchParams({ form: now.get('form'), digest: now.get('digest') });
  for (const name of names) body.set(name, now.get(name) ?? '');
  keeping = true;
  try {
    const response = await fetch(writing.getAttribute('action') + '/draft', { method: 'POST', body, keepalive: leaving });
    if (response.ok) draftTold('Saved as a draft. Only you see it until you answer.');
    else if ((response.headers.get('content-type') ?? '').startsWith('application/json')) draftTold((response.status === 401 ? '' : 'Not saved: ') + (await response.json()).error.message, true);
    else draftTold('Not saved (' + response.status + '). Copy what you wrote before you reload this page.', true);
  } catch {
    for (const name of names) unkept.add(name);
    draftTold('Not saved yet: tandem serve does not answer. What you wrote is still on this page.', true);
    keepSoon(5000);
  } finally {
    keeping = false;
    if (unkept.size > 0) keepSoon(1000);
  }
}

for (const type of ['input', 'change']) writing?.addEventListener(type, ({ target }) => {
  if (!isDraftField(target.name)) return;
  unkept.add(target.name);
  keepSoon(1000);
});
addEventListener('pagehide', () => void keep(true));
document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'hidden') void keep(true); });
`;
