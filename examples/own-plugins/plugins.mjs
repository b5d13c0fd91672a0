/** Four adapters of somebody's own: an agent behind a queue of messages, a grader that looks for a day, a channel that posts, and a sandbox that counts. */

/** The subject talks through `backend.send(message)`, which gives the text of an answer, whenever it comes. */
export const bridge = (backend) => () => ({
  async answer(input) {
    const text = await backend.send(JSON.stringify(input));
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
});

/** Quotes what it goes by: the day, or the last thing that was said. */
export const sayer = ({ record }) => {
  const [day] = /\b\d{1,2} [A-Z][a-z]+\b/.exec(record) ?? [];
  return day === undefined
    ? { verdict: 'fail', reason: 'No day is named.', quotes: [record.split('\n').at(-1)] }
    : { verdict: 'pass', reason: 'A day is named.', quotes: [day] };
};

/** `post` gives the status of the answer. */
export const board = (post) => async (notice, _options, signal) => {
  signal.throwIfAborted();
  const status = await post({ key: notice.id, text: `${notice.text} ${notice.url}` });
  if (status >= 300) throw new Error(`the board answered ${status}`);
};

/** The walls of `shipped`, and how many calls went through. */
export const counted = (count) => async (shipped) => {
  const inner = await shipped();
  return {
    ...inner,
    kind: `counted ${inner.kind}`,
    async open(dir) {
      const session = await inner.open(dir);
      return {
        call(call, signal) {
          count(call.module);
          return session.call(call, signal);
        },
        askAll: (inquiry, signal) => session.askAll(inquiry, signal),
        close: () => session.close(),
      };
    },
  };
};
