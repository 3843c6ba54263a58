import { describe, expect, it } from 'vitest';
import { callIdsOfConversation } from './call-ids.ts';

describe('callIdsOfConversation', () => {
  it('C066 keeps what fits, changes what does not, always in the same way', () => {
    const [one, other] = [callIdsOfConversation(), callIdsOfConversation()];
    expect(one('abc123XYZ')).toBe('abc123XYZ');
    const nine = one('call_9f8e7d6c5b4a');
    expect(nine).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(one('call_9f8e7d6c5b4a')).toBe(nine);
    expect(other('call_9f8e7d6c5b4a')).toBe(nine);
  });

  it('C066 never gives two ids the same nine letters, in either order', () => {
    const nine = callIdsOfConversation()('call_1');
    const foreignFirst = callIdsOfConversation();
    expect([foreignFirst('call_1'), foreignFirst(nine)][0]).toBe(nine);
    expect(foreignFirst(nine)).not.toBe(nine);
    const nativeFirst = callIdsOfConversation();
    expect(nativeFirst(nine)).toBe(nine);
    expect(nativeFirst('call_1')).not.toBe(nine);
  });
});
