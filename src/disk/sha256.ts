/** The only digest in use: SHA-256 as 64 hexadecimal digits. */
import { hash } from 'node:crypto';

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}
