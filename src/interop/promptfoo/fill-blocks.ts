/** Loops over a list and conditions of one name, the only blocks of a template that texts of a suite commonly have. */

/** What stands in a block is filled with the names that are known there. */
export type BlockPart =
  | string
  | { kind: 'for'; item: string; list: string; body: BlockPart[]; otherwise: BlockPart[] }
  | { kind: 'if'; isNot: boolean; name: string; body: BlockPart[]; otherwise: BlockPart[] };

type OpenBlock = { block: Exclude<BlockPart, string> | undefined; parts: BlockPart[] };

const TAG = /(\{%-?[\s\S]*?-?%\})/;
const NAME = String.raw`[A-Za-z_]\w*(?:\.\w+|\[\d+\])*`;
const FOR = new RegExp(String.raw`^for\s+(\w+)\s+in\s+(${NAME})$`);
const IF = new RegExp(String.raw`^if\s+(not\s+)?(${NAME})$`);

/** Returns undefined where another kind of block stands, or one has no end: such a text is not filled at all. */
export function parseBlocks(text: string): BlockPart[] | undefined {
  const pieces = text.split(TAG);
  const root: OpenBlock = { block: undefined, parts: [] };
  const open = [root];
  for (const [index, piece] of pieces.entries()) {
    const { block, parts } = open.at(-1) ?? root;
    if (index % 2 === 0) {
      parts.push(trimBeside(piece, pieces[index - 1], pieces[index + 1]));
      continue;
    }
    const code = piece.slice(2, -2).replaceAll(/^-|-$/g, '').trim();
    const begun = readTag(code);
    if (begun !== undefined) {
      parts.push(begun);
      open.push({ block: begun, parts: begun.body });
    } else if (block !== undefined && code === 'else' && parts === block.body)
      open[open.length - 1] = { block, parts: block.otherwise };
    else if (block !== undefined && code === `end${block.kind}`) open.pop();
    else return undefined;
  }
  return open.length === 1 ? root.parts : undefined;
}

function readTag(code: string): OpenBlock['block'] {
  const loop = FOR.exec(code);
  if (loop !== null) return { kind: 'for', item: loop[1] ?? '', list: loop[2] ?? '', body: [], otherwise: [] };
  const condition = IF.exec(code);
  if (condition === null) return undefined;
  return { kind: 'if', isNot: condition[1] !== undefined, name: condition[2] ?? '', body: [], otherwise: [] };
}

/** A minus in a tag takes the spaces and line ends beside it away. */
function trimBeside(text: string, before = '', after = ''): string {
  const start = before.endsWith('-%}') ? text.trimStart() : text;
  return after.startsWith('{%-') ? start.trimEnd() : start;
}
