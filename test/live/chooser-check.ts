/** Asks a small model for moves of users, by the request that trials send, and counts labelled messages that it answers right. */
import { readFile } from 'node:fs/promises';
import { chooseLabelled } from '../../bench/words/label-moves.ts';
import { readRows } from '../../bench/words/score-messages.ts';
import { NO_PRICE, type Model } from '../../src/ports/model.ts';
import type { Block, Usage } from '../../src/transcript/message.ts';
import type { LiveCheck, LiveSetting } from './checks.ts';

/** Each so many-th message; all of them cost about $0.20 on the smallest model. */
const EACH = 8;
const LEAST_RIGHT = 0.9;

/** A share of the labelled messages in four languages, with no yes that the sample does not give. */
export const chooserPicks: LiveCheck = async (setting) => {
  const question = 'Does it choose the labelled moves of a user, from a closed list?';
  const names = ['messages.tsv', 'later-messages.tsv', 'fresh-messages.tsv', 'fresh-2-messages.tsv'];
  const all = names.flatMap((name) => readRows(name)).filter(({ state }) => state === 'early');
  const rows = all.filter((_, index) => index % EACH === 0);
  const prompt = await readFile('prompts/user_chooser.md', 'utf8');
  const settings = { name: setting.model, price: NO_PRICE, prompt, maxTokens: 1024, model: openClient(setting) };
  const choices = [];
  for (const row of rows) choices.push(await chooseLabelled(row, settings, new AbortController().signal));
  const right = choices.filter(({ isRight }) => isRight).length;
  const wrongYes = choices.filter(({ isRight, got }) => !isRight && got === 'yes').length;
  return {
    question,
    seen: `${right} of ${rows.length} right, wrong yes ${wrongYes}`,
    agrees: right >= LEAST_RIGHT * rows.length && wrongYes === 0,
  };
};

/** The vendor's client as the port that trials call; usage is reported, and priced by the suite. */
export function openClient({ client, billed }: LiveSetting): Model {
  return {
    call: async (request) => {
      const params = request as unknown as Parameters<typeof client.messages.create>[0];
      const answer = await client.messages.create({ ...params, stream: false });
      billed?.(answer.usage);
      const { id, model, content, stop_reason: stopReason, usage } = answer;
      return {
        ...{ id, model, stopReason: stopReason ?? 'end_turn' },
        content: content as unknown as Block[],
        usage: usage as unknown as Usage,
      };
    },
  };
}
