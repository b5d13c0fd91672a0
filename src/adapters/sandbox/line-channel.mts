/** The channel of a host, inside the sandbox: requests on file descriptor 0, answers on 3; 1 and 2 are left to the generated code. */
const CHANNEL = 3;

// Saved before any generated code is loaded, so that later changes to the built-ins cannot reach these.
const { readSync: read, writeSync: write } = process.getBuiltinModule('node:fs');
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const encode = encoder.encode.bind(encoder);
const decode = decoder.decode.bind(decoder);

/** Reads the next line of standard input. The event loop is blocked meanwhile, so nothing runs between two calls. */
export function readLine(): string | undefined {
  let line = '';
  const chunk = new Uint8Array(65_536);
  for (;;) {
    const size = read(0, chunk);
    if (size === 0) return undefined;
    const isLast = chunk[size - 1] === 10;
    line += decode(chunk.subarray(0, size), { stream: !isLast });
    if (isLast) return line;
  }
}

/** Begins with a newline, in case the generated code left half a line on the channel. */
export function writeChannel(text: string): void {
  const bytes = encode(`\n${text}\n`);
  for (let sent = 0; sent < bytes.length;) sent += write(CHANNEL, bytes, sent);
}
