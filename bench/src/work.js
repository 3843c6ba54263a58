/** The work of all loops: a question, a tool, and pages that differ from one to the next, as real results do. */

export const question = 'Read all pages.';
export const parameters = {
  type: 'object',
  properties: { page: { type: 'integer' } },
  required: ['page'],
};
export const tool = { name: 'fetch_page', description: 'Reads a page.' };

export function pageText(page, bytes) {
  return `page ${page} ${'lorem ipsum '.repeat(Math.ceil(bytes / 12))}`.slice(0, bytes);
}

/**
 * @typedef {import('./provider.js').Plan & { resultBytes: number, baseURL?: string, fetch?: typeof fetch }} Work
 */
