import { createHash } from 'node:crypto';

const LONGEST = 64;

/**
 * The name under which a tool of a server is offered: `server__tool`, made of characters that every provider takes.
 * Too long or taken: the end is replaced by six characters of a hash of both names. Adds it to `taken`; undefined
 * when even that is taken.
 */
export function offeredName(server: string, tool: string, taken: Set<string>): string | undefined {
  const safe = `${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?=[^a-zA-Z_])/, '_');
  const mark = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 6);
  const marked = `${safe.slice(0, LONGEST - 7)}_${mark}`;
  const name = safe.length > LONGEST || taken.has(safe) ? marked : safe;
  if (taken.has(name)) return undefined;
  taken.add(name);
  return name;
}
