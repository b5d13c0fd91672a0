/* The script of every page: keys and confirmation of decisions. Every page works without it. */
const $ = (id) => document.getElementById(id);
const rows = [...document.querySelectorAll('[data-row]')];
const form = $('decision');
const seen = new Set();
let current = -1;

function showStatus(id, text, loud = false) {
  const at = $(id);
  if (!at) return;
  at.textContent = text;
  at.classList.toggle('loud-text', loud);
  at.classList.toggle('soft', !loud);
}
const showMessage = (text, loud) => showStatus('told', text, loud);

function moveFocus(by) {
  if (rows.length === 0) return;
  current = Math.min(rows.length - 1, Math.max(0, current + by));
  const fold = rows[current].closest('details.fold');
  if (fold) fold.open = true;
  rows[current].focus();
  rows[current].scrollIntoView({ block: 'nearest' });
}

function openComment() {
  const link = rows[current]?.querySelector('a.say:not([data-on])');
  if (link) {
    link.click();
    return;
  }
  const details = rows[current]?.querySelector('details.note-on');
  const field = details ? details.querySelector('textarea') : (rows[current]?.querySelector('textarea') ?? $('notes'));
  if (details) details.open = true;
  field?.focus();
}

/* On the decision screen a comment on changed words is written in its row; elsewhere the link leads to a page for it. */
function commentHere(link) {
  const name = 'on.' + link.dataset.on;
  let field = [...form.elements].find((one) => one.name === name);
  if (!field) {
    field = document.createElement('textarea');
    Object.assign(field, { name, rows: 2, maxLength: 2000, placeholder: 'Comment on ' + link.dataset.on });
    field.setAttribute('aria-label', 'Comment on ' + link.dataset.on);
    link.closest('[data-row]').append(field);
  }
  field.focus();
}
if (form)
  for (const link of document.querySelectorAll('a.say[data-on]'))
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      commentHere(link);
    });

const clickById = (id) => $(id)?.click();
const focusOn = (id, words) => {
  const at = $(id);
  at?.focus();
  if (at && words) showMessage(words);
};

const KEYS = {
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  o: () => (rows[current] ?? document).querySelector('a.proof')?.click(),
  c: openComment,
  v: () => rows[current]?.querySelector('button.mark')?.click(),
  a: () => focusOn('approve', 'Enter approves this design.'),
  r: () => focusOn('changes', 'Enter asks for changes; say what in the notes or on a row.'),
  e: () => clickById('edit'),
  x: () => {
    const part = $('reject');
    if (!part) return;
    part.open = true;
    part.querySelector('button').focus();
    showMessage('Enter rejects and ends the run.', true);
  },
  d: () => clickById('design'),
  J: () => clickById('next'),
  K: () => clickById('previous'),
  '?': () => $('keys')?.showModal(),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest('input, textarea, select');
  if (event.key === 'Escape' && typing) {
    typing.blur();
    return;
  }
  if (typing || $('keys')?.open) return;
  const does = KEYS[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});

const trackFocus = (row, index) =>
  row.addEventListener('focusin', () => {
    current = index;
  });
rows.forEach(trackFocus);
addEventListener('renewed', () => {
  rows.splice(0, rows.length, ...document.querySelectorAll('[data-row]'));
  rows.forEach(trackFocus);
  updateNews();
});
$('to-reject')?.addEventListener('click', () => {
  $('reject').open = true;
});

/* Rows that were never on the screen need a second press to be approved. */
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) seen.add(entry.target);
  },
  { threshold: 0.2 },
);
for (const row of rows) watcher.observe(row);

/* Enter in the field for the word decides nothing, and leads to the button that does. */
$('confirm')?.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  KEYS.a();
});

/* Approving unseen rows takes a separate key: Enter that is held or pressed again approves nothing. */
let warned = false;
let meant = false;
let sent = false;
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && event.repeat && event.target.closest('button')) event.preventDefault();
  if (event.key !== 'y' || !warned || event.target.closest('input, textarea, select')) return;
  // The key must not be typed into the field for the word, which the press may move to.
  event.preventDefault();
  meant = true;
  $('approve')?.click();
});
$('approve')?.addEventListener('click', (event) => {
  if (warned && event.detail > 0) meant = true;
});
form?.addEventListener('submit', (event) => {
  if (event.submitter?.dataset.does) return;
  if (sent) {
    event.preventDefault();
    return;
  }
  const decision = event.submitter?.value;
  const left = Number(form.dataset.left);
  const open = rows.filter((row) => !row.closest('details.fold:not([open])'));
  const unseen = open.filter((row) => !seen.has(row)).length + left;
  const confirm = $('confirm');
  const written = [...form.querySelectorAll('textarea:not([data-ask])')].some((field) => field.value.trim() !== '');
  if (decision === 'approve' && unseen > 0 && !meant) {
    event.preventDefault();
    warned = true;
    showMessage(
      unseen +
        ' of ' +
        (open.length + left) +
        ' rows were not on your screen yet. Press y, or click Approve again, to approve them unread.',
      true,
    );
  } else if (decision === 'approve' && confirm && confirm.value.trim().toLowerCase() !== confirm.dataset.word) {
    event.preventDefault();
    confirm.focus();
    showMessage('Type the word next to the field to approve against the doubt.', true);
  } else if (decision !== 'approve' && !written) {
    event.preventDefault();
    $('notes').focus();
    showMessage(
      decision === 'reject' ? 'Say why in the notes.' : 'Say what must change, in the notes or on a row.',
      true,
    );
  } else {
    sent = true;
    showMessage('Sending…');
  }
});
addEventListener('pageshow', () => {
  sent = false;
});

/* Reviewed rules: the server stores the mark, so that other browsers and later rounds have it too. */
const setMark = (button, isSet) => {
  button.name = isSet ? 'unmark' : 'mark';
  button.setAttribute('aria-pressed', String(isSet));
  button.textContent = isSet ? 'reviewed ✓' : 'reviewed?';
};
for (const button of document.querySelectorAll('button.mark'))
  button.addEventListener('click', (event) => {
    event.preventDefault();
    const before = button.name;
    const body = new URLSearchParams({ form: form.elements.form.value, script: '1', [before]: button.value });
    setMark(button, before === 'mark');
    const failed = (why) => {
      setMark(button, before === 'unmark');
      showMessage('The mark was not saved: ' + why, true);
    };
    fetch(button.getAttribute('formaction'), { method: 'POST', body, keepalive: true }).then(
      (response) => response.ok || failed('the page answered ' + response.status + '. Reload it.'),
      () => failed('tandem serve does not answer.'),
    );
  });
