/** A value as text that is the same whatever the order of its keys. */
export { canonicalJson as jsonText } from '../../../disk/canonical-json.ts';
