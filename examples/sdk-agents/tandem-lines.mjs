/** Talks with Tandem: one JSON line a turn. `open` makes the agent, whose answer to a text may call tools of the simulated world. */
import { createInterface } from 'node:readline';

export async function serveTandem(open) {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    if (done) process.exit(0);
    return JSON.parse(value);
  };
  const write = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  let made = 0;
  let waiting = [];

  /** Called by an SDK for each tool of one answer: all of them go out in one line. */
  const callTool = (tool, args) =>
    new Promise((settle) => {
      waiting.push({ id: `call-${++made}`, tool, args, settle });
      if (waiting.length === 1) setImmediate(() => void callWaitingTools());
    });

  async function callWaitingTools() {
    const calls = waiting;
    waiting = [];
    write({ calls: calls.map(({ id, tool, args }) => ({ id, tool, args })) });
    const { results } = await read();
    for (const { id, settle } of calls) settle(results.find((result) => result.id === id)?.output);
  }

  const { prompt, tools } = await read();
  const answer = open({ prompt, tools, callTool });
  for (;;) {
    const { text } = await read();
    write({ say: await answer(text) });
  }
}
