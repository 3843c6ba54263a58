/** The one catalogue of what secrets look like. A group named `secret` marks the part to black out; without it, all of a match is. */
interface SecretShape {
  readonly name: string;
  /** Global, with indices. */
  readonly pattern: RegExp;
  /** One of these texts is in every match; looked for first, because that is fast. */
  readonly hints?: readonly string[];
}

/** Not in the middle of a longer word. */
const START = '(?<![A-Za-z0-9_])';

function prefixed(name: string, prefixes: string, rest: string, ...hints: string[]): SecretShape {
  return { name, pattern: new RegExp(`${START}(?:${prefixes})${rest}`, 'dg'), hints };
}

/** Between a name and its value, in code, JSON, JSON inside JSON, headers and YAML. */
const SEPARATOR = String.raw`[\\"'\s]{0,6}[:=][\\"'\s]{0,6}`;

const SHAPES: readonly SecretShape[] = [
  {
    // Prefixes that mean nothing else, so that they count in the middle of a word too.
    name: 'key with a telling prefix',
    pattern:
      /(?:sk-(?:ant|proj|or|svcacct|admin)-|github_pat_|gsk_|AIza|AKIA|ASIA|xox[abeoprs]-|GOCSPX-|glpat-)[A-Za-z0-9_-]{16,}/dg,
    hints: ['sk-', 'github_pat_', 'gsk_', 'AIza', 'AKIA', 'ASIA', 'xox', 'GOCSPX-', 'glpat-'],
  },
  prefixed(
    'model provider key',
    'sk|pk|rk',
    '[-_][A-Za-z0-9_-]{16,}',
    'sk-',
    'pk-',
    'rk-',
    'sk_',
    'pk_',
    'rk_',
  ),
  prefixed('Google OAuth', 'ya29\\.|GOCSPX-|1//0', '[A-Za-z0-9._-]{16,}', 'ya29.', 'GOCSPX-', '1//0'),
  prefixed(
    'other model host',
    'hf_|r8_|xai-|pplx-|nvapi-|tgp_v1_|csk-|fw_',
    '[A-Za-z0-9_-]{16,}',
    'hf_',
    'r8_',
    'xai-',
    'pplx-',
    'nvapi-',
    'tgp_v1_',
    'csk-',
    'fw_',
  ),
  prefixed('GitHub token', 'gh[pousr]_|github_pat_', '[A-Za-z0-9_]{16,}', 'gh', 'github_pat_'),
  prefixed('GitLab token', 'gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-', '[A-Za-z0-9_.-]{16,}', 'gl'),
  prefixed('npm or PyPI token', 'npm_|pypi-', '[A-Za-z0-9_-]{16,}', 'npm_', 'pypi-'),
  prefixed('AWS key id', 'AKIA|ASIA|AROA|AIDA', '[A-Z0-9]{16}', 'AKIA', 'ASIA', 'AROA', 'AIDA'),
  prefixed('Slack token', 'xox[a-z]-|xapp-', '[A-Za-z0-9-]{10,}', 'xox', 'xapp-'),
  prefixed('SendGrid key', 'SG\\.', '[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}', 'SG.'),
  prefixed(
    'webhook secret',
    'whsec_|shpat_|shpss_|dop_v1_|lin_api_|ntn_|secret_',
    '[A-Za-z0-9_=+/-]{16,}',
    'whsec_',
    'shp',
    'dop_v1_',
    'lin_api_',
    'ntn_',
    'secret_',
  ),
  {
    name: 'Slack webhook',
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9/_-]{10,})/dg,
    hints: ['hooks.slack.com'],
  },
  { name: 'Telegram bot token', pattern: /(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}/dg, hints: [':AA'] },
  {
    name: 'JSON web token',
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/dg,
    hints: ['eyJ'],
  },
  {
    name: 'private key',
    pattern:
      /-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/dg,
    hints: ['PRIVATE KEY'],
  },
  {
    name: 'AWS secret',
    pattern: new RegExp(
      String.raw`aws[\w.-]{0,30}(?:secret|session)[\w.-]{0,30}${SEPARATOR}(?<secret>[A-Za-z0-9/+=]{30,})`,
      'dgi',
    ),
  },
  {
    name: 'authorization header',
    pattern: new RegExp(
      String.raw`authorization${SEPARATOR}(?:(?:bearer|basic|token|digest|apikey|aws4-hmac-sha256)\s+)?(?<secret>[^\s"'\\,;}]{6,})`,
      'dgi',
    ),
  },
  {
    // In prose, "bearer" and "basic" are words: what follows must look made up.
    name: 'bearer or basic credentials',
    pattern:
      /(?<![A-Za-z])(?:bearer|basic)\s+(?<secret>(?=[A-Za-z._~+/-]{0,200}[0-9=])[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{24,})/dgi,
  },
  {
    name: 'named secret',
    pattern: new RegExp(
      String.raw`(?:api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|id[_-]?token|session[_-]?token|client[_-]?secret|app[_-]?secret|secret[_-]?key|private[_-]?key|account[_-]?key|shared[_-]?access[_-]?key|password|passwd|passphrase|pwd)${SEPARATOR}(?<secret>[^\s"'\\,;&<>{}()[\]]{8,})`,
      'dgi',
    ),
  },
  {
    name: 'cookie',
    pattern: new RegExp(
      String.raw`(?<![A-Za-z])(?:set-)?cookie${SEPARATOR}(?<secret>[^"'\\\r\n]{6,})`,
      'dgi',
    ),
  },
  {
    name: 'credentials in a URL',
    pattern: /[a-z][a-z0-9+.-]{1,30}:\/\/(?<secret>[^\s/?#@"'\\]{1,300}:[^\s/?#@"'\\]{1,300})@/dgi,
    hints: ['://'],
  },
  {
    name: 'credentials in a query',
    pattern:
      /[?&;](?:[\w.-]{0,40}(?:key|token|secret|signature|password|credential)|sig|auth|pass|pwd|code)=(?<secret>[^&\s"'\\#<>]{4,})/dgi,
    hints: ['='],
  },
];

/** [start, end) of everything in a text that looks like a secret or is one of `values`, in order and apart from one another. */
export function secretRanges(
  text: string,
  values: readonly string[],
): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const value of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      found.push([at, at + value.length]);
    }
  }
  // No shape is shorter, and most texts of a trace are words of the format.
  if (text.length < SHORTEST_SHAPE) return merged(found);
  for (const { pattern, hints } of SHAPES) {
    if (hints !== undefined && !hints.some((hint) => text.includes(hint))) continue;
    for (const match of text.matchAll(pattern))
      found.push(match.indices!.groups?.['secret'] ?? match.indices![0]!);
  }
  return merged(found);
}

const SHORTEST_SHAPE = 12;

function merged(ranges: [number, number][]): [number, number][] {
  ranges.sort((a, b) => a[0] - b[0]);
  const result: [number, number][] = [];
  for (const [start, end] of ranges) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** The ways in which a known secret may be written down. */
export function spellings(secrets: readonly string[]): readonly string[] {
  const known = secrets.filter((secret) => typeof secret === 'string' && secret.length >= SHORTEST_SECRET);
  return [
    ...new Set(
      known.flatMap((secret) => [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret.toWellFormed()),
      ]),
    ),
  ];
}

/** Blacking out anything shorter would spoil ordinary words. */
const SHORTEST_SECRET = 4;

/** Names of fields whose whole text is a secret. */
export const SECRET_FIELD =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-goog-api-key|api[_-]?key|apikey|(access|refresh|auth|id|session|bearer)[_-]?token|client[_-]?secret|secret[_-]?(key|access[_-]?key)|private[_-]?key|password|passwd|passphrase|secret)$/i;
