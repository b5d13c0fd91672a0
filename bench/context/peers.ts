/** The peers that are installed here; what is missing is named with the reason, never left out in silence. */
import { existsSync } from 'node:fs';

/** Name in the table -> package. */
export const PEERS: Readonly<Record<string, string>> = {
  'langchain summarizationMiddleware': 'langchain',
  'langchain trimMessages': '@langchain/core',
  deepagents: 'deepagents',
  'ai pruneMessages': 'ai',
  'mastra TokenLimiter': '@mastra/core',
  pi: '@earendil-works/pi-coding-agent',
  'cline basic': '@cline/core',
  'gemini-cli': '@google/gemini-cli-core',
  'strands summarizing': '@strands-agents/sdk',
};

export function installedPeers(): { found: string[]; missing: { name: string; why: string }[] } {
  const there = (pack: string) => existsSync(new URL(`node_modules/${pack}/package.json`, import.meta.url));
  const names = Object.entries(PEERS);
  return {
    found: names.flatMap(([name, pack]) => (there(pack) ? [name] : [])),
    missing: names.flatMap(([name, pack]) =>
      there(pack) ? [] : [{ name, why: `${pack} is not installed (npm ci --prefix bench/context --ignore-scripts)` }],
    ),
  };
}
