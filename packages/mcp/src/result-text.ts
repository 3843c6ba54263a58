import { isDeepStrictEqual } from 'node:util';

/** What a server answered to a call, as text for the model, with a line for everything that does not fit into text. */
export function resultAsText(result: { readonly [key: string]: unknown }): string {
  const content = Array.isArray(result['content']) ? result['content'] : [];
  const texts = content.map(partAsText);
  const structured = result['structuredContent'] ?? result['toolResult'];
  if (
    structured !== undefined &&
    structured !== null &&
    !texts.some((text) => saysTheSame(text, structured))
  ) {
    texts.push(JSON.stringify(structured));
  }
  return texts.join('\n\n');
}

function partAsText(part: unknown): string {
  const { type, text, data, mimeType, resource, uri, name, description } = fields(part);
  switch (type) {
    case 'text':
      return String(text ?? '');
    case 'image':
    case 'audio':
      return leftOut(type, mimeType, data);
    case 'resource': {
      const inner = fields(resource);
      const label = `resource ${word(inner['uri'])}`;
      return typeof inner['text'] === 'string'
        ? `[${label}]\n${inner['text']}`
        : leftOut(label, inner['mimeType'], inner['blob']);
    }
    case 'resource_link':
      return `[link to a resource: ${[name, uri, mimeType, description]
        .filter((value) => typeof value === 'string')
        .map(word)
        .join(', ')}]`;
    default:
      return `[content of kind ${word(type)}: left out, it is no text]`;
  }
}

function leftOut(what: string, mimeType: unknown, base64: unknown): string {
  const length = typeof base64 === 'string' ? base64.replace(/=+$/, '').length : undefined;
  const facts = [what, ...(typeof mimeType === 'string' ? [word(mimeType)] : [])].join(', ');
  const size = length === undefined ? '' : `, ${Math.floor((length * 3) / 4)} bytes`;
  return `[${facts}${size}: left out, it is no text]`;
}

/** A server that fills `structuredContent` should say the same as text, for clients that do not know it. */
function saysTheSame(text: string, structured: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false;
  }
}

function fields(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};
}

function word(value: unknown): string {
  return String(value).replace(/\s+/g, ' ').slice(0, 300);
}
