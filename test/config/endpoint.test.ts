import { describe, expect, test } from 'vitest';
import { chooseEndpoint, isLoopback } from '../../src/config/endpoint.ts';
import { findHome } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load-config.ts';

const home = findHome('.');
const normal = await loadConfig(home, {});
const demo = await loadConfig(home, { profile: 'demo' });

describe('which endpoint a run talks to', () => {
  test('without a key the offline model', () => {
    expect(chooseEndpoint(normal, {})).toEqual({ kind: 'simulated' });
  });

  test('with a key the API, but not under the demo profile: npm start must never cost money', () => {
    expect(chooseEndpoint(normal, { ANTHROPIC_API_KEY: 'k' })).toEqual({
      kind: 'api',
      baseUrl: 'https://api.anthropic.com',
      apiKey: 'k',
      loopback: false,
    });
    expect(chooseEndpoint(demo, { ANTHROPIC_API_KEY: 'k' })).toEqual({ kind: 'simulated' });
  });

  test('an address in the environment wins over everything', () => {
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:99/', ANTHROPIC_API_KEY: 'k' };
    expect(chooseEndpoint(demo, env)).toEqual({
      kind: 'api',
      baseUrl: 'http://127.0.0.1:99',
      apiKey: 'k',
      loopback: true,
    });
  });

  test('refuses an address without a key, a foreign protocol, and a key over plain http', () => {
    expect(() => chooseEndpoint(normal, { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' })).toThrow(
      /ANTHROPIC_API_KEY is not set/,
    );
    expect(() => chooseEndpoint(normal, { ANTHROPIC_BASE_URL: 'ftp://x', ANTHROPIC_API_KEY: 'k' })).toThrow(
      /not an http/,
    );
    expect(() => chooseEndpoint(normal, { ANTHROPIC_BASE_URL: 'http://example.com', ANTHROPIC_API_KEY: 'k' })).toThrow(
      /plain http/,
    );
  });

  test('an address that is a key, or holds one, is refused and not repeated', () => {
    for (const url of [
      'planted-key',
      'https://user:planted-key@gateway.example',
      'https://planted-key@gateway.example',
      'https://gateway.example/?api_key=planted-key',
      'https://gateway.example/#planted-key',
    ]) {
      const choose = () => chooseEndpoint(normal, { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'k' });
      expect(choose, url).toThrow(/ANTHROPIC_BASE_URL/);
      expect(choose, url).not.toThrow(/planted-key/);
    }
  });

  test.each(['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])('%s is loopback', (host) =>
    expect(isLoopback(host)).toBe(true),
  );
  test.each(['127.0.0.1.evil.com', 'localhost.evil.com', '10.0.0.1', '0.0.0.0', '1127.0.0.1'])('%s is not', (host) =>
    expect(isLoopback(host)).toBe(false),
  );
});
