/** gemini-cli: its chat compression service, with the threshold set so that it begins where the others do. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getResultText } from '../../../src/transcript/transcript-lines.ts';
import type { Block, Message } from '../../../src/transcript/message.ts';
import { thresholdOf, type OpenPeer } from '../peer.ts';

const ROOT = new URL('../node_modules/@google/gemini-cli-core/dist/src/', import.meta.url);
const MODEL = 'gemini-2.5-pro';
type Part = {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id: string; name: string; args: unknown };
  functionResponse?: { id: string; name: string; response: { output: string } };
};
type Content = { role: string; parts: Part[] };

export const openGemini: OpenPeer = async (setup) => {
  const { ChatCompressionService } = await import(new URL('context/chatCompressionService.js', ROOT).href);
  const { tokenLimit } = await import(new URL('core/tokenLimits.js', ROOT).href);
  const service = new ChatCompressionService();
  const folder = mkdtempSync(join(tmpdir(), 'bench-gemini-'));
  let cuts = 0;
  const known: Record<string, unknown> = {
    getHookSystem: () => undefined,
    getCompressionThreshold: async () => thresholdOf(setup) / tokenLimit(MODEL),
    getBaseLlmClient: () => ({
      generateContent: async ({ contents }: { contents: Content[] }) => ({
        candidates: [
          {
            content: {
              role: 'model',
              parts: [{ text: `<state_snapshot>\n${setup.ask(textOf(contents))}\n</state_snapshot>` }],
            },
          },
        ],
      }),
    }),
    getContentGenerator: () => ({ countTokens: async () => ({ totalTokens: 0 }) }),
    getNextCompressionTruncationId: () => (cuts += 1),
    storage: { getProjectTempDir: () => folder },
    getTruncateToolOutputThreshold: () => 40_000,
    getWorkspaceContext: () => ({ getDirectories: () => [folder] }),
    getFileService: () => ({ shouldIgnoreFile: () => false, filterFiles: (list: string[]) => list }),
    getEnvironmentMemory: () => '',
    getSessionMemory: () => '',
    getIncludeDirectoryTree: () => false,
    getTelemetryLogPromptsEnabled: () => false,
    getUsageStatisticsEnabled: () => false,
    getTelemetryEnabled: () => false,
  };
  // Whatever else it asks its configuration for is none of the compaction.
  const config: object = new Proxy(known, {
    get: (target, key) => (key === 'config' ? config : key in target ? target[String(key)] : () => undefined),
  });
  let failed = false;
  return {
    rewrites: 'history',
    async next(history, tokens) {
      const contents = toGemini(history);
      const chat = { getHistory: () => contents, getLastPromptTokenCount: () => tokens };
      const { newHistory, info } = await service.compress(chat, 'bench', false, MODEL, config, failed, undefined);
      failed ||= String(info.compressionStatus).includes('FAILED');
      return newHistory === null ? [...history] : fromGemini(newHistory);
    },
  };
};

function toGemini(messages: readonly Message[]): Content[] {
  const names = new Map<string, string>();
  return messages.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : 'user',
    parts: content.flatMap((block): Part[] => {
      switch (block.type) {
        case 'text':
          return [{ text: block.text }];
        case 'thinking':
          return [{ text: block.thinking, thought: true, thoughtSignature: block.signature }];
        case 'tool_use':
          names.set(block.id, block.name);
          return [{ functionCall: { id: block.id, name: block.name, args: block.input } }];
        case 'tool_result':
          return [
            {
              functionResponse: {
                id: block.tool_use_id,
                name: names.get(block.tool_use_id) ?? 'tool',
                response: { output: getResultText(block) },
              },
            },
          ];
        default:
          return [];
      }
    }),
  }));
}

function fromGemini(contents: readonly (Content & { content?: Content })[]): Message[] {
  return contents
    .map((one) => one.content ?? one)
    .map(({ role, parts }) => ({
      role: role === 'model' ? 'assistant' : 'user',
      content: parts.map((part): Block => {
        if (part.functionCall)
          return {
            type: 'tool_use',
            id: part.functionCall.id,
            name: part.functionCall.name,
            input: part.functionCall.args as Record<string, unknown>,
          };
        if (part.functionResponse)
          return {
            type: 'tool_result',
            tool_use_id: part.functionResponse.id,
            content: part.functionResponse.response.output,
          };
        if (part.thought === true)
          return { type: 'thinking', thinking: part.text ?? '', signature: part.thoughtSignature ?? '' };
        return { type: 'text', text: part.text ?? '' };
      }),
    }));
}

function textOf(contents: readonly Content[]): string {
  return contents
    .flatMap(({ parts }) =>
      parts.map((part) => part.text ?? JSON.stringify(part.functionCall ?? part.functionResponse ?? '')),
    )
    .join('\n');
}
