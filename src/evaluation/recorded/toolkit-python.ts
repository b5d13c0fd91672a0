/** What a Python toolkit in the manner of tau2-bench offers: names, kinds, parameters and first lines of its methods. */

export type PythonTool = {
  name: string;
  /** As its decorator says: READ, WRITE, GENERIC, THINK. */
  kind: string;
  purpose: string;
  parameters: { name: string; type: string }[];
};

const METHOD =
  /@is_tool\(\s*(?:ToolType\.)?(\w+)[^)]*\)\s*\n\s*def\s+([A-Za-z_]\w*)\s*\(([\s\S]*?)\)\s*(?:->[^:]*)?:\s*(?:[rbu]*("""|''')([\s\S]*?)\4)?/g;

/** Reads the source as text and never runs it; methods without the decorator are no tools. */
export function toolsOfToolkit(source: string): PythonTool[] {
  return [...source.matchAll(METHOD)].map(([, kind = '', name = '', parameters = '', , doc = '']) => ({
    name,
    kind: kind.toUpperCase(),
    purpose: doc.trim().split('\n')[0]?.trim() || name.replaceAll('_', ' '),
    parameters: parametersOf(parameters),
  }));
}

function parametersOf(text: string): PythonTool['parameters'] {
  return splitTopLevel(text).flatMap((part) => {
    const match = /^\**([A-Za-z_]\w*)\s*(?::\s*([^=]+?))?\s*(?:=[\s\S]*)?$/.exec(part.trim());
    if (match === null || match[1] === 'self') return [];
    return [{ name: match[1] ?? '', type: match[2]?.trim() ?? 'Any' }];
  });
}

/** At commas that stand outside of brackets: `Dict[str, int]` is one parameter's type. */
function splitTopLevel(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if ('[({'.includes(character)) depth += 1;
    if ('])}'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}
