/** What the id of a Claude model says about the options it takes. Ids we cannot read get the widest reading. */
export interface ModelTraits {
  /** 'budget': thinking with a token budget; 'adaptive': the model decides; 'none': no thinking at all. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** How no thinking is asked for: by saying nothing, by `disabled`, or not at all. */
  readonly withoutThinking: 'default' | 'disabled' | 'impossible';
  /** Whether temperature and top_p are accepted. */
  readonly sampling: boolean;
}

/**
 * Sources: https://platform.claude.com/docs/en/build-with-claude/thinking and the migration guides of each model.
 * Thinking begins with 3.7, is adaptive from 4.6 on and the default from 5 on; sampling was removed with 4.7. Fable,
 * Mythos and Opus from 5.5 on always think.
 */
export function traitsOf(model: string): ModelTraits {
  const { family, version } = parse(model);
  if (
    family === 'fable' ||
    family === 'mythos' ||
    (family === 'opus' && version !== undefined && version >= 505)
  ) {
    return { thinking: 'adaptive', withoutThinking: 'impossible', sampling: false };
  }
  if (version === undefined) return { thinking: 'budget', withoutThinking: 'disabled', sampling: true };
  return {
    thinking: version < 307 ? 'none' : version < 406 ? 'budget' : 'adaptive',
    withoutThinking: version < 500 ? 'default' : 'disabled',
    sampling: version < 407,
  };
}

/** `claude-opus-4-8` → opus, 408; `claude-3-5-haiku-latest` → haiku, 305. A date is not a minor version. */
function parse(model: string): { family?: string | undefined; version?: number } {
  const named = /claude-([a-z]+)(?:-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d))?/.exec(model);
  if (named !== null) {
    const [, family, major, minor] = named;
    return major === undefined ? { family } : { family, version: versionOf(major, minor) };
  }
  const numbered = /claude-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)(?:-([a-z]+))?/.exec(model);
  if (numbered === null) return {};
  const [, major, minor, family] = numbered;
  return { family, version: versionOf(major, minor) };
}

function versionOf(major: string | undefined, minor: string | undefined): number {
  return Number(major) * 100 + Number(minor ?? 0);
}
