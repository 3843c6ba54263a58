import { defineTool, ToolError } from '@glassloop/core';
import { textArgument } from './argument.ts';

export const currentTime = defineTool({
  name: 'current_time',
  effect: 'reads',
  description: 'Returns the current date and time in a time zone.',
  input: {
    type: 'object',
    properties: {
      time_zone: { type: 'string', description: 'IANA name, for example Europe/Berlin. Default: UTC.' },
    },
  },
  execute: (input) => timeIn(textArgument(input, 'time_zone', 'UTC'), new Date()),
});

/** `Monday, 2025-12-01 13:05:09, UTC+01:00 (Europe/Berlin)`. */
export function timeIn(zone: string, now: Date): string {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    });
  } catch {
    throw new ToolError(
      `There is no time zone ${JSON.stringify(zone)}. Use an IANA name such as Europe/Berlin or UTC.`,
    );
  }
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const offset = part['timeZoneName']!.replace('GMT', 'UTC');
  return `${part['weekday']}, ${part['year']}-${part['month']}-${part['day']} ${part['hour']}:${part['minute']}:${part['second']}, ${offset} (${format.resolvedOptions().timeZone})`;
}
