/** Reports a turn to its person: its text as it is written, each running tool with a short description, and what the turn waits for. */
import type { Model } from '../../ports/model.ts';
import type { ToolAnswer, ToolHost } from '../../ports/tools/tool-host.ts';
import type { TurnDeps } from '../../agent/loop.ts';
import type { TurnListener } from './session-deps.ts';

/** Inputs that describe a call best; the first one present is used. */
const TELLING = ['file_path', 'path', 'pattern', 'task', 'id', 'name', 'query'];
const MOST_CHARS = 80;

type ToolInput = Readonly<Record<string, unknown>>;

export function withToolProgress(host: ToolHost, heard: TurnListener['heard']): ToolHost {
  const reported = async (name: string, input: ToolInput, work: () => Promise<ToolAnswer>): Promise<ToolAnswer> => {
    const about = describeInput(input);
    heard({ type: 'tool', name, about });
    const answer = await work();
    heard({ type: 'tool', name, about, ended: { isError: answer.is_error } });
    return answer;
  };
  const callBlock = host.callBlock?.bind(host);
  return {
    ...host,
    call: (name, input, signal) => reported(name, input, () => host.call(name, input, signal)),
    ...(callBlock && {
      callBlock: (block, signal) => reported(block.name, block.input, () => callBlock(block, signal)),
    }),
  };
}

function describeInput(input: ToolInput): string {
  const found = TELLING.map((key) => input[key]).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found.slice(0, MOST_CHARS) : '';
}

/** `again` is called when the answer that was being written does not count. */
export function createProgress(heard: TurnListener['heard'], again: () => void): TurnDeps['progress'] {
  return (event) => {
    if (event.type === 'retry') {
      again();
      heard({ type: 'again', reason: event.reason });
    }
    if (event.type === 'step') {
      const [, lane] = event.agent.split('/');
      if (lane !== undefined) heard({ type: 'lane', lane, step: event.step, tools: event.tools });
    }
    if (event.type === 'state' || event.type === 'wait')
      heard({ type: 'notice', detail: event.type === 'state' ? event.detail : event.reason });
  };
}

/** Collects the text of the answer that is being written, and reports it. */
export function withLiveText(model: Model, said: { text: string }, heard: TurnListener['heard']): Model {
  return {
    ...model,
    call: async (request, signal, terms) => {
      said.text = '';
      const onText = (text: string): void => {
        said.text += text;
        heard({ type: 'text', text });
      };
      const onPhase = (phase: 'sent' | 'waiting'): void => {
        terms?.onPhase?.(phase);
        if (phase === 'sent') heard({ type: 'thinking' });
      };
      const response = await model.call(request, signal, { ...terms, onText, onPhase });
      said.text = '';
      return response;
    },
  };
}
