import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createCatalogue, type ModelNotice } from '../../../src/adapters/anthropic/catalogue.ts';
import { ModelTable } from '../../../src/ports/model-table.ts';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import { refuses, says, startScriptedServer, type Reply, type ScriptedServer } from '../../support/scripted-server.ts';

const FILE = 'config/models.yaml';
const table = parseYaml(readFileSync(new URL(`../../../${FILE}`, import.meta.url), 'utf8'), ModelTable, FILE);
const signal = new AbortController().signal;

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function catalogueOn(replies: readonly Reply[], today = '2026-11-20') {
  server = await startScriptedServer(replies);
  const notices: ModelNotice[] = [];
  const catalogue = createCatalogue({
    baseUrl: server.url,
    apiKey: 'sk-ant-secret-key',
    timeoutMs: 5_000,
    table,
    tableFile: FILE,
    onNotice: (notice) => notices.push(notice),
    now: () => new Date(`${today}T12:00:00Z`),
  });
  return { catalogue, notices, received: server.received, server };
}

const info = (id: string, more: Record<string, unknown> = {}) =>
  says({
    id,
    type: 'model',
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
    lifecycle: 'active',
    retires_at: null,
    capabilities: null,
    ...more,
  });
const kinds = (notices: ModelNotice[]) => notices.map(({ kind }) => kind);

describe('from the endpoint', () => {
  test('window and largest output are the endpoint’s, prices and bound thinking the table’s (S0.2)', async () => {
    const { catalogue, received, notices } = await catalogueOn([
      info('claude-opus-5-5', { max_input_tokens: 500_000, max_tokens: 1_000 }),
    ]);
    expect(await catalogue.describe('claude-opus-5-5', signal)).toEqual({
      id: 'claude-opus-5-5',
      window: 500_000,
      maxOutput: 1_000,
      boundThinking: true,
      price: { input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 },
      systemMessages: true,
      taskBudget: true,
      source: 'endpoint',
    });
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models/claude-opus-5-5']);
    expect(notices).toEqual([]);
  });

  test('what the endpoint leaves out comes from the table', async () => {
    const { catalogue } = await catalogueOn([says({ id: 'claude-haiku-4-5-20251001' })]);
    expect(await catalogue.describe('claude-haiku-4-5', signal)).toMatchObject({
      window: 200_000,
      maxOutput: 64_000,
      source: 'endpoint',
    });
  });

  test('thinking is asked for only where it is off by default and the endpoint does not deny it', async () => {
    const denied = { thinking: { types: { adaptive: { supported: false } } } };
    const { catalogue } = await catalogueOn([
      info('claude-opus-4-8'),
      info('claude-sonnet-5-5'),
      info('claude-opus-4-7', { capabilities: denied }),
    ]);
    expect(await catalogue.describe('claude-opus-4-8', signal)).toMatchObject({ thinking: 'adaptive' });
    expect(await catalogue.describe('claude-sonnet-5-5', signal)).not.toHaveProperty('thinking');
    expect(await catalogue.describe('claude-opus-4-7', signal)).not.toHaveProperty('thinking');
  });

  test('each model is asked for once', async () => {
    const { catalogue, received } = await catalogueOn([info('claude-opus-5-5')]);
    const first = await catalogue.describe('claude-opus-5-5', signal);
    expect(await catalogue.describe('claude-opus-5-5', signal)).toEqual(first);
    expect(received).toHaveLength(1);
  });

  test('a model on its way out is reported once, however many ask', async () => {
    const retiring = { lifecycle: 'deprecated', retires_at: '2026-11-30T00:00:00Z' };
    const { catalogue, notices } = await catalogueOn([
      info('claude-sonnet-4-5', retiring),
      info('claude-opus-4-5', { lifecycle: 'retired' }),
    ]);
    await catalogue.describe('claude-sonnet-4-5', signal);
    await Promise.all([catalogue.describe('claude-opus-4-5', signal), catalogue.describe('claude-opus-4-5', signal)]);
    expect(kinds(notices)).toEqual(['deprecated', 'retired']);
    expect(notices[0]?.message).toContain('2026-11-30');
  });

  test('a model without a known price is refused: no budget could be kept', async () => {
    const { catalogue } = await catalogueOn([info('claude-fable-5-2'), info('claude-opus-9')]);
    for (const model of ['claude-fable-5-2', 'claude-opus-9']) {
      await expect(catalogue.describe(model, signal)).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining(`config/models.yaml: models.${model}: no price`),
      });
    }
  });
});

describe('a model that does not exist', () => {
  test('is refused with the models that the endpoint serves, when it counts no tokens for it either', async () => {
    const list = says({ data: [{ id: 'claude-opus-5-5' }, { id: 'claude-haiku-5-5' }], has_more: false });
    const { catalogue } = await catalogueOn([
      refuses(404, 'not_found_error', 'model: claude-opus-4.5'),
      list,
      refuses(404, 'not_found_error'),
    ]);
    await expect(catalogue.describe('claude-opus-4.5', signal)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/"claude-opus-4\.5".*lists: claude-haiku-5-5, claude-opus-5-5\./),
    });
  });

  test.each([
    ['cannot list models', [refuses(404, 'not_found_error')]],
    ['lists the model', [says({ data: [{ id: 'claude-opus-5-5' }] })]],
    ['lists others, and counts tokens for it', [says({ data: [{ id: 'other' }] }), says({ input_tokens: 8 })]],
  ])('a gateway that answers 404 for it and %s: the table counts, and that is said', async (_name, more) => {
    const { catalogue, notices } = await catalogueOn([refuses(404, 'not_found_error'), ...more]);
    expect(await catalogue.describe('claude-opus-5-5', signal)).toMatchObject({ source: 'table', window: 1_000_000 });
    expect(notices[0]?.message).toMatch(/come from config\/models\.yaml: .* answers 404 for it, as a gateway/);
  });

  test('is refused with those of the table when the endpoint cannot list them', async () => {
    const { catalogue } = await catalogueOn([refuses(404, 'not_found_error'), refuses(500, 'api_error')]);
    await expect(catalogue.describe('nope', signal)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('claude-sonnet-5-5'),
    });
  });

  test('is refused when the endpoint describes no models and the table does not hold it', async () => {
    for (const reply of [says('not found', 404), says({ data: [] }), refuses(403, 'permission_error')]) {
      const { catalogue, server: endpoint } = await catalogueOn([reply]);
      await expect(catalogue.describe('nope', signal)).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringMatching(/config\/models\.yaml.*"nope".*claude-sonnet-5-5/),
      });
      await endpoint.close();
    }
  });

  test('is not decided upon while the endpoint cannot be asked', async () => {
    const { catalogue } = await catalogueOn([refuses(529, 'overloaded_error')]);
    await expect(catalogue.describe('nope', signal)).rejects.toMatchObject({
      code: 'model_unavailable',
      retryable: true,
      message: expect.stringContaining('claude-sonnet-5-5'),
    });
  });
});

describe('from the table', () => {
  test.each<[string, Reply]>([
    ['is overloaded', refuses(529, 'overloaded_error')],
    ['forbids it', refuses(403, 'permission_error')],
    ['has no Models endpoint', says('not found', 404)],
    ['is no Messages API', says('<html>hello</html>', 200)],
    ['drops the connection', (response) => response.destroy()],
  ])('when the endpoint %s', async (_title, reply) => {
    const { catalogue, notices, received } = await catalogueOn([reply]);
    expect(await catalogue.describe('claude-opus-4-6', signal)).toEqual({
      id: 'claude-opus-4-6',
      window: 1_000_000,
      maxOutput: 128_000,
      boundThinking: false,
      thinking: 'adaptive',
      price: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
      source: 'table',
    });
    expect(kinds(notices)).toEqual(['table']);
    expect(received).toHaveLength(1);
  });

  test.each([
    ['2026-11-29', 'deprecated'],
    ['2026-11-30', 'retired'],
  ])('a model that retires on 2026-11-30 is on %s %s', async (today, kind) => {
    const { catalogue, notices } = await catalogueOn([refuses(529, 'overloaded_error')], today);
    await catalogue.describe('claude-sonnet-4-5', signal);
    expect(kinds(notices)).toEqual(['table', kind]);
  });

  test('never when the key is refused', async () => {
    const { catalogue } = await catalogueOn([refuses(401, 'authentication_error')]);
    await expect(catalogue.describe('claude-opus-5-5', signal)).rejects.toMatchObject({
      code: 'model_refused',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });
});

test('an abort rejects with its reason, and the next caller is answered', async () => {
  const { catalogue, server: endpoint } = await catalogueOn([() => undefined, info('claude-opus-5-5')]);
  const controller = new AbortController();
  const asked = catalogue.describe('claude-opus-5-5', controller.signal);
  await endpoint.arrived(1);
  const reason = new Error('cancelled');
  controller.abort(reason);
  await expect(asked).rejects.toBe(reason);
  expect(await catalogue.describe('claude-opus-5-5', signal)).toMatchObject({ source: 'endpoint' });
});
