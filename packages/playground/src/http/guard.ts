/**
 * Who may speak to this server. Pages of other origins can send requests to 127.0.0.1 (and, by DNS rebinding, under a
 * name of their own), so nothing is believed of a request but its Host, its Origin and its token.
 */

import { ProblemError } from './problem.ts';

/** The Host headers that are answered, in lower case. */
export function allowedHosts(port: number, trusted: readonly string[] = []): ReadonlySet<string> {
  return new Set([
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `[::1]:${port}`,
    ...trusted.map((host) => host.toLowerCase()),
  ]);
}

/** Throws 421 unless `host` is one of ours, exactly. */
export function checkHost(host: string | null | undefined, hosts: ReadonlySet<string>): void {
  if (host !== null && host !== undefined && hosts.has(host.toLowerCase())) return;
  throw new ProblemError('misdirected', {
    hint: 'Open the address that the server printed when it started.',
  });
}

/** Throws 403 for what another page's script, form, frame or image sent. Expects a checked Host. */
export function checkOrigin(headers: Headers, trusted: readonly string[] = []): void {
  const host = headers.get('host')!.toLowerCase();
  const origin = headers.get('origin');
  const own = [
    `http://${host}`,
    ...(trusted.some((name) => name.toLowerCase() === host) ? [`https://${host}`] : []),
  ];
  const site = headers.get('sec-fetch-site');
  if (
    (origin === null || own.includes(origin)) &&
    (site === null || site === 'same-origin' || site === 'none')
  )
    return;
  throw new ProblemError('forbidden_origin', {
    hint: 'Type or paste the address into the address bar; links and scripts of other pages are refused.',
  });
}

/** Checked with the page's libraries: nothing in it needs an unsafe word. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify app',
].join('; ');

const OFF = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

/** On every answer. */
export const SECURITY_HEADERS: { readonly [name: string]: string } = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': OFF.map((feature) => `${feature}=()`).join(', '),
};
