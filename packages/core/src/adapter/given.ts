/** The fields that are set. What is undefined or null must not become a key: providers refuse `null` where they want a number. */
export function given<Fields extends object>(
  fields: Fields,
): { [name in keyof Fields]?: NonNullable<Fields[name]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as never;
}
