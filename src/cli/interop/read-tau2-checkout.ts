/** Reads one domain of a tau2-bench checkout: `data/tau2/domains/<domain>/` and `src/tau2/domains/<domain>/`. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Tau2Domain } from '../../interop/tau/domain/import-domain.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { parseJson, parseStrictJson } from '../../parse-json.ts';

const MAX_SOURCE_BYTES = 1024 * 1024;

export async function readTau2Checkout(checkout: string, domain: string | undefined): Promise<Tau2Domain> {
  if (domain === undefined || !/^[a-z0-9][a-z0-9_-]*$/.test(domain))
    throw usageError(`Name the domain of the checkout, such as --domain airline.${await describeDomains(checkout)}`);
  const data = join(checkout, 'data/tau2/domains', domain);
  const optional = (file: string): Promise<string | undefined> =>
    readFile(join(data, file), 'utf8').catch(() => undefined);
  const first = async (files: readonly string[]): Promise<{ path: string; text: string } | undefined> => {
    for (const path of files) {
      const text = await optional(path);
      if (text !== undefined) return { path, text };
    }
    return undefined;
  };
  const need = async (...files: string[]): Promise<{ path: string; text: string }> => {
    const found = await first(files);
    if (found !== undefined) return found;
    const place = join(data, files.join(' or '));
    throw new HarnessError(
      'not_found',
      `${place}: is not there. Is it a checkout of tau2-bench?${await describeDomains(checkout)}`,
    );
  };
  const policy = await need('policy.md', 'main_policy.md');
  // The telecom policy has two parts.
  const manual = policy.path === 'main_policy.md' ? await optional('tech_support_manual.md') : undefined;
  return {
    domain,
    policy: [policy.text, ...(manual === undefined ? [] : [manual])].join('\n\n'),
    tasks: parseTau2Json((await need('tasks.json')).text, 'tasks.json'),
    db: await need('db.json', 'db.toml'),
    userDb: await first(['user_db.json', 'user_db.toml']),
    sources: await readSources(checkout, domain),
  };
}

async function readSources(checkout: string, domain: string): Promise<Record<string, string>> {
  const dir = join(checkout, 'src/tau2/domains', domain);
  const names = (await readdir(dir).catch((): string[] => [])).filter((name) => name.endsWith('.py')).toSorted();
  if (!names.includes('tools.py'))
    throw new HarnessError(
      'not_found',
      `${join(dir, 'tools.py')}: is not there; the tools of a domain are carried over from it.`,
    );
  const sources: Record<string, string> = {};
  for (const name of names) {
    const path = join(dir, name);
    if ((await stat(path)).size > MAX_SOURCE_BYTES)
      throw new HarnessError('config_invalid', `${path}: is larger than ${MAX_SOURCE_BYTES} bytes.`);
    sources[relative(checkout, path)] = await readFile(path, 'utf8');
  }
  return sources;
}

async function describeDomains(checkout: string): Promise<string> {
  const names = await readdir(join(checkout, 'data/tau2/domains')).catch((): string[] => []);
  return names.length === 0 ? '' : ` There are: ${names.toSorted().join(', ')}.`;
}

export function parseTau2Json(text: string, shown: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  const read = parseStrictJson(text);
  const place = read.ok ? shown : `${shown}:${read.line}`;
  throw new HarnessError('config_invalid', `${place}: ${read.ok ? 'is no JSON' : read.fault}`);
}
