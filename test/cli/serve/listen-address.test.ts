/** What servers of ours listen on is an address and a port, and nothing else. */
import { expect, test } from 'vitest';
import { parseListenAddress } from '../../../src/cli/serve/listen-address.ts';

test.each([
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['0.0.0.0:9090', { host: '0.0.0.0', port: 9090 }],
  ['[::1]:7420', { host: '::1', port: 7420 }],
])('%s', (text, address) => expect(parseListenAddress(text)).toEqual(address));

test.each(['9090', 'host', 'host:', ':9090', 'host:70000', '::1:7420'])('%s is refused', (text) =>
  expect(() => parseListenAddress(text)).toThrow(/expected an address and a port/),
);
