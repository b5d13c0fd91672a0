/* Saves text while it is typed; without it comments are saved by their own form. */
const writing = form ?? $('edit-form');
const unsaved = new Set();
let saving = false;
let saveTimer;
const isDraftField = (name) => /^(?:comment|on\..+|q\d+(?:\.more)?|file\..+)$/.test(name ?? '');
const showDraftStatus = (text, loud) => showStatus('draft-told', text, loud);
const saveSoon = (ms) => {
  saveTimer ??= setTimeout(() => {
    saveTimer = undefined;
    void saveDraft(false);
  }, ms);
};

async function saveDraft(leaving) {
  if (sent || unsaved.size === 0 || (saving && !leaving)) return;
  const names = [...unsaved];
  unsaved.clear();
  const now = new FormData(writing);
  const body = new URLSearchParams({ form: now.get('form'), digest: now.get('digest') });
  for (const name of names) body.set(name, now.get(name) ?? '');
  saving = true;
  try {
    const response = await fetch(writing.getAttribute('action') + '/draft', {
      method: 'POST',
      body,
      keepalive: leaving,
    });
    if (response.ok) showDraftStatus('Saved as a draft. Only you see it until you answer.');
    else if ((response.headers.get('content-type') ?? '').startsWith('application/json'))
      showDraftStatus((response.status === 401 ? '' : 'Not saved: ') + (await response.json()).error.message, true);
    else showDraftStatus('Not saved (' + response.status + '). Copy what you wrote before you reload this page.', true);
  } catch {
    for (const name of names) unsaved.add(name);
    showDraftStatus('Not saved yet: tandem serve does not answer. What you wrote is still on this page.', true);
    saveSoon(5000);
  } finally {
    saving = false;
    if (unsaved.size > 0) saveSoon(1000);
  }
}

for (const type of ['input', 'change'])
  writing?.addEventListener(type, ({ target }) => {
    if (!isDraftField(target.name)) return;
    unsaved.add(target.name);
    saveSoon(1000);
  });
addEventListener('pagehide', () => void saveDraft(true));
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void saveDraft(true);
});
