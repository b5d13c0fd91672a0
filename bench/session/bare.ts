/** The other side: the SDK alone in a terminal, with the whole conversation in memory and nothing on disk. */
import { createInterface } from 'node:readline';
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ apiKey: 'bench', baseURL: process.env['ANTHROPIC_BASE_URL'] ?? '', maxRetries: 0 });
const messages: Anthropic.MessageParam[] = [];
const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
lines.setPrompt('> ');
lines.prompt();
for await (const line of lines) {
  messages.push({ role: 'user', content: line });
  const stream = client.messages.stream({
    ...{ model: 'claude-opus-5-5', max_tokens: 16_000, messages },
    system: 'You work with one person in a terminal.',
  });
  stream.on('text', (text) => process.stderr.write(text));
  const { content } = await stream.finalMessage();
  messages.push({ role: 'assistant', content });
  process.stderr.write('\n');
  lines.prompt();
}
