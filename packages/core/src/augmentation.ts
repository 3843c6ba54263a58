/** What is added to a conversation before its first round, and from where. */

/** How far the author of a skill is trusted; an unknown level counts as untrusted. */
export type TrustLevel = 'untrusted' | 'community' | 'verified' | 'first_party';

/** Where a text was read: a file and its lines, counted from 1. */
export interface Origin {
  readonly file: string;
  readonly fromLine?: number;
  readonly toLine?: number;
}

/** A procedure or reference that a run may need. It goes into the first user message, fenced, never into the system role. */
export interface Skill {
  /** Unique within its source. */
  readonly id: string;
  readonly name: string;
  readonly body: string;
  /** Where it comes from: a folder, a package, a person. Default: `''`. Two skills of one id from two sources are two skills. */
  readonly source?: string;
  /** SHA-256 of the UTF-8 body as hex. Present: checked before every use, and a skill that does not match is left out. */
  readonly checksum?: string;
  /** Default: `first_party`, for a skill that the caller wrote into the code. */
  readonly trust?: TrustLevel;
  /** Default: true. */
  readonly enabled?: boolean;
  /** `partial`: lines that point at files of the skill's folder are left out, because the model cannot open them. Default: `full`. */
  readonly support?: 'full' | 'partial';
  /** Tools this skill needs. If any effective configured skill says so, only the tools that some skill names are offered. */
  readonly allowedTools?: readonly string[];
  readonly origin?: Origin;
}

/** A trusted piece of system prompt, such as a tone or a glossary. */
export interface Snippet {
  readonly id: string;
  /** The label the model sees above the text. */
  readonly name: string;
  readonly text: string;
  /** Default: true. */
  readonly active?: boolean;
  readonly origin?: Origin;
}

/** What one run adds to its configuration. */
export interface RunAugmentation {
  /** Replaces the configured system prompt; configured snippets stay. Blank counts as not given. */
  readonly systemPrompt?: string;
  /** Added behind the configured skills. */
  readonly forcedSkills?: readonly Skill[];
  /** Each becomes a system message of its own behind the system prompt. */
  readonly forcedSnippets?: readonly Snippet[];
  /** What was asked for and could not be found; recorded with the rest that was left out. */
  readonly missing?: readonly Dropped[];
  /** Assemble, record, return; nothing is sent and no tool runs. */
  readonly dryRun?: boolean;
}

/** Limits on the skill block. */
export interface SkillPolicy {
  /** Most UTF-8 bytes of the whole block, fence included. Default 24,000; not positive: the default. */
  readonly maxBytes?: number;
  /** Skills below this are left out. Default: `untrusted`, so none. */
  readonly minTrust?: TrustLevel;
}

/** Which stretch of the assembled messages came from where. */
export interface Source {
  readonly kind: 'configuration' | 'override' | 'snippet' | 'skill' | 'caller';
  /** Id of the snippet or skill. */
  readonly id?: string;
  readonly name?: string;
  /** Index into the assembled messages. */
  readonly message: number;
  /** Index of the content part, for a message made of parts. */
  readonly part?: number;
  /** [start, end) in UTF-16 units of that text; absent: all of it. */
  readonly range?: readonly [number, number];
  /** UTF-8 bytes of that stretch. */
  readonly bytes: number;
  readonly origin?: Origin;
}

/** Something that was asked for and left out. */
export interface Dropped {
  readonly kind: 'skill' | 'snippet' | 'tool' | 'system_prompt';
  readonly id: string;
  readonly reason: DropReason;
  /** One sentence for people. */
  readonly detail?: string;
  readonly origin?: Origin;
}

export type DropReason =
  | 'disabled'
  | 'not_found'
  | 'untrusted'
  | 'checksum_mismatch'
  | 'duplicate'
  | 'empty'
  | 'over_budget'
  | 'no_user_message'
  | 'overridden'
  | 'not_allowed'
  | 'unreadable';
