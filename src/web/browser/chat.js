/* Asks Init and shows the answer as it arrives; without it the form shows the whole answer at once. */
const askButton = $('ask');
const showChatStatus = (text, loud) => showStatus('chat-told', text, loud);

function addBubble(kind, who, text) {
  const item = document.createElement('li');
  item.className = kind;
  const head = document.createElement('span');
  head.className = 'who';
  head.textContent = who;
  const body = document.createElement('p');
  body.textContent = text;
  item.append(head, body);
  $('chat-talk').append(item);
  return { item, head, body };
}

async function* readEvents(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const field = (name) =>
        part
          .split('\n')
          .filter((line) => line.startsWith(name + ': '))
          .map((line) => line.slice(name.length + 2))
          .join('\n');
      if (field('event')) yield { type: field('event'), data: JSON.parse(field('data')) };
    }
  }
}

function useQuote(quote) {
  const notes = $('notes');
  if (!notes) return;
  notes.value = (notes.value.trim() === '' ? '' : notes.value.trimEnd() + '\n') + quote;
  notes.dispatchEvent(new Event('input', { bubbles: true }));
  notes.focus();
  notes.scrollIntoView({ block: 'center' });
}

function addUseButton(item, quote) {
  if (!form || !$('notes')) return;
  const line = document.createElement('p');
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'plain-link', textContent: 'use as comment' });
  button.addEventListener('click', () => useQuote(quote));
  line.append(button);
  item.append(line);
}

async function askInit(fields) {
  const said = $('question').value;
  const question = addBubble('user', 'you', said);
  const answer = addBubble('answer', 'Init', '');
  document.body.dataset.asking = '1';
  /* A disabled button loses the focus, and a keyboard user would lose the place on the page. */
  const hadFocus = document.activeElement === askButton;
  askButton.disabled = true;
  showChatStatus('Init is thinking…');
  try {
    const response = await fetch(askButton.getAttribute('formaction').split('#')[0], {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { accept: 'text/event-stream' },
    });
    if (!response.ok || !(response.headers.get('content-type') ?? '').startsWith('text/event-stream'))
      throw new Error('The page did not answer (' + response.status + '). Reload it, then ask again.');
    let ended = false;
    for await (const { type, data } of readEvents(response)) {
      if (type === 'refused') throw new Error(data.message);
      if (type === 'answer') {
        ended = true;
        showAnswer(question, answer, data);
      }
      if (type !== 'heard') continue;
      if (data.type === 'looking') showChatStatus('Init looks into the files: ' + data.tools.join(', '));
      if (data.type === 'written_off')
        showChatStatus(
          'An earlier question was cut off in mid-call: up to $' +
            data.usd.toFixed(2) +
            ' may have been paid for it, and they count.',
        );
      if (data.type === 'context')
        showChatStatus('What Init reads has changed: ' + data.change.type.replaceAll('_', ' '));
      if (data.type === 'again') {
        answer.body.textContent = '';
        showChatStatus('Once more: ' + data.reason);
      }
      if (data.type === 'text') {
        answer.body.textContent += data.text;
        showChatStatus('Init answers…');
      }
    }
    if (!ended) throw new Error('The connection broke. Reload the page: the answer so far is there.');
  } catch (error) {
    question.item.remove();
    answer.item.remove();
    showChatStatus(error.message, true);
  } finally {
    askButton.disabled = false;
    if (hadFocus && document.activeElement === document.body) askButton.focus({ preventScroll: true });
    delete document.body.dataset.asking;
  }
}

function showAnswer(question, answer, { answer: text, usd, quote, seq, files }) {
  answer.body.textContent = text;
  answer.head.textContent = 'Init · $' + usd.toFixed(2);
  question.item.id = 'asked-' + seq;
  /* The question's own event is no news for this page, whenever it is announced. */
  if (Number(document.body.dataset.length) <= seq) document.body.dataset.length = String(seq + 1);
  if (files.length > 0) question.head.textContent = 'you, with ' + files.join(', ');
  addUseButton(answer.item, quote);
  $('question').value = '';
  if ($('fresh')) $('fresh').checked = false;
  const nonce = askButton.form.elements['ask-nonce'];
  nonce.value = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  showChatStatus('');
  answer.item.scrollIntoView({ block: 'nearest' });
}

/* Runs before the decision's own handler, because a question is no decision. */
askButton?.form.addEventListener(
  'submit',
  (event) => {
    if (event.submitter !== askButton) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (askButton.disabled) return;
    if ($('question').value.trim() === '') {
      $('question').focus();
      showChatStatus('Write a question first.', true);
      return;
    }
    void askInit(new FormData(askButton.form));
  },
  { capture: true },
);
$('question')?.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    askButton.click();
  }
});
